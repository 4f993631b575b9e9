// What the user said about the names that were found, as the server takes it.

import { byId, element } from "./elements.js";

export const joined = (one, other) => ({ join: [one, other] });
export const apart = (form) => ({ apart: form });
export const cut = (first, second) => ({ cut: [first, second] });
export const noName = (form) => ({ no_name: form });

export function described(correction) {
  if (correction.join) return `“${correction.join[0]}” and “${correction.join[1]}” are one`;
  if (correction.cut) return `“${correction.cut[0]}” and “${correction.cut[1]}” are two`;
  if (correction.apart) return `“${correction.apart}” is somebody else`;
  return `“${correction.no_name}” is not a name`;
}

// Every correction with a button that takes it back; `onDrop(number)`.
export function showCorrections(corrections, onDrop) {
  const items = corrections.map((correction, number) => {
    const label = described(correction);
    const properties = { type: "button", "aria-label": `Take back: ${label}`, onclick: () => onDrop(number) };
    return element("li", {}, label, onDrop ? element("button", properties, "✕") : "");
  });
  byId("mended").replaceChildren(...items);
  byId("mended").hidden = !items.length;
}

const isText = (value) => typeof value === "string" && value.length > 0;

// Whether something that came with a link can be a list of corrections.
export function areCorrections(value) {
  if (!Array.isArray(value) || value.length > 200) return false;
  return value.every((one) => {
    const entries = one && typeof one === "object" ? Object.entries(one) : [];
    if (entries.length !== 1) return false;
    const [[kind, said]] = entries;
    if (kind === "join" || kind === "cut") return Array.isArray(said) && said.length === 2 && said.every(isText);
    return (kind === "apart" || kind === "no_name") && isText(said);
  });
}
