import createClient, { type Middleware } from "openapi-fetch";
import { isProblem, ProblemError, UnreachableError } from "./problem";
import type { paths } from "./schema";

const SAFE = new Set(["GET", "HEAD", "OPTIONS"]);

/** Whom the page acts for: what every change needs, and the organization that it is about. */
export interface Acting {
  csrf_token: string | null;
  organization_id: string;
}

let acting: Acting | null = null;

/** `GET /me` and the login tell. A request about another organization is refused from then on. */
export function actFor(known: Acting | null): void {
  acting = known && { csrf_token: known.csrf_token, organization_id: known.organization_id };
}

/** The keys of what was posted and got no answer of the API, by address and content. */
const unanswered = new Map<string, string>();
const posted = new WeakMap<Request, { what: string; key: string }>();
/** Answers of a proxy: the API may have done what was asked. */
const NO_ANSWER = new Set([502, 504]);

/** The same key for the same request until it is answered: the API does it once. */
async function idempotencyKey(request: Request): Promise<string> {
  const what = `${request.url}\n${await request.clone().text()}`;
  const key = unanswered.get(what) ?? randomKey();
  posted.set(request, { what, key });
  return key;
}

function remember(request: Request, answered: boolean): void {
  const sent = posted.get(request);
  if (sent === undefined) return;
  if (answered) unanswered.delete(sent.what);
  else unanswered.set(sent.what, sent.key);
}

const headers: Middleware = {
  async onRequest({ request }) {
    // Sentences of documents come in the language that the page speaks.
    request.headers.set("Accept-Language", document.documentElement.lang);
    if (acting !== null) request.headers.set("X-Podmeter-Organization", acting.organization_id);
    if (!SAFE.has(request.method)) {
      if (acting?.csrf_token) request.headers.set("X-CSRF-Token", acting.csrf_token);
      if (request.method === "POST") {
        request.headers.set("Idempotency-Key", await idempotencyKey(request));
      }
    }
    return request;
  },
  onResponse({ request, response }) {
    remember(request, !NO_ANSWER.has(response.status));
  },
  onError({ request }) {
    remember(request, false);
  },
};

/** `crypto.randomUUID` exists on https and localhost alone; Podmeter may be served on neither. */
function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The REST API, typed by the committed OpenAPI document. Use it with `unwrap`. */
export const api = createClient<paths>({ baseUrl: "" });
api.use(headers);

/** What any request may meet, whatever it asks for. */
interface Watcher {
  /** There was no answer, or none of the API's. */
  onUnreachable: () => void;
  /** The API does not know who asks. */
  onUnknown: () => void;
  /** The session acts in another organization now than the page is about. */
  onElsewhere: () => void;
}

let watcher: Watcher | null = null;

/** Has the application's frame told of it, besides anyone who asked. */
export function watchAnswers(frame: Watcher): void {
  watcher = frame;
}

interface Answer<Data> {
  data?: Data;
  error?: unknown;
  response: Response;
}

/** The data of an answer. Throws ProblemError or UnreachableError. */
export async function unwrap<Data>(asked: Promise<Answer<Data>>): Promise<Data> {
  let answer: Answer<Data>;
  try {
    answer = await asked;
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw unreachable(error);
  }
  if (answer.response.ok) return answer.data as Data;
  if (answer.response.status === 401) watcher?.onUnknown();
  if (isProblem(answer.error) && answer.error.code === "another_organization") {
    watcher?.onElsewhere();
  }
  if (isProblem(answer.error)) throw new ProblemError(answer.error);
  throw unreachable(`HTTP ${answer.response.status}`);
}

function unreachable(cause: unknown): UnreachableError {
  watcher?.onUnreachable();
  return new UnreachableError(cause);
}

/** The API refuses (412) to change another version than this; without one it changes whichever. */
export function ifMatch(version?: number): { "if-match": string } {
  return { "if-match": version === undefined ? "*" : `"${version}"` };
}
