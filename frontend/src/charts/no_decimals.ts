/**
 * Stands in for the arithmetic by which Recharts places ticks: axes here bring their own
 * (`niceTicks="none"`), so it is never asked, and no page carries it.
 */
export default class Decimal {
  constructor() {
    throw new Error('an axis without niceTicks="none"');
  }
}
