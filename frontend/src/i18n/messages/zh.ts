import messages from "./zh.json";

/** What the API says, by code; in English it comes with each message. */
export const strings = { messages };
