// A link that holds everything: the state, deflated, in the address's fragment.
// A fragment is never sent to any server.

import { areCorrections } from "./corrections.js";

const PREFIX = "#read=";
const MOST_BYTES = 400_000; // a small link must not unpack into a huge text

export async function toFragment(state) {
  const text = new Blob([JSON.stringify(state)]).stream();
  const stream = text.pipeThrough(new CompressionStream("deflate-raw"));
  const packed = new Uint8Array(await new Response(stream).arrayBuffer());
  let letters = "";
  for (const byte of packed) letters += String.fromCharCode(byte);
  return PREFIX + btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

// The state in a fragment, or null if there is none or it is broken.
export async function fromFragment(fragment) {
  if (!fragment.startsWith(PREFIX)) return null;
  try {
    const letters = atob(fragment.slice(PREFIX.length).replaceAll("-", "+").replaceAll("_", "/"));
    const packed = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
    const state = JSON.parse(await unpack(packed));
    return isState(state) ? { corrections: [], ...state } : null;
  } catch {
    return null;
  }
}

async function unpack(packed) {
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let text = "";
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    size += value.length;
    if (size > MOST_BYTES) throw new Error("too large");
    text += decoder.decode(value, { stream: true });
  }
}

const isText = (value) => typeof value === "string";

function isState(state) {
  return (
    state !== null &&
    typeof state === "object" &&
    isText(state.article) &&
    Array.isArray(state.highlights) &&
    state.highlights.every(isText) &&
    (state.question === null || isText(state.question)) &&
    (state.hidden === null || isText(state.hidden)) &&
    (state.corrections === undefined || areCorrections(state.corrections)) &&
    Array.isArray(state.models) &&
    state.models.every(isText)
  );
}
