/** Of a row of labelled fields, so that nothing moves when they come. */
export const FIELDS_HEIGHT = "3.75rem";
