// The page as one HTML file that works without a server: styles, scripts and the last answer in it.

const IMPORT = /from "\.\/([\w-]+\.js)"/g;
const STYLE = /<link rel="stylesheet" href="(.*?)">/g;
const ICON = /<link rel="icon".*?>/;
const SCRIPT = /<script type="module" src="\/(.*?)"><\/script>/;
const CHARSET = '<meta charset="utf-8">';
const POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline' data:; img-src data:";

const source = async (address) => (await fetch(address)).text();

/** The page's HTML; `kept` is what it shows, as JSON can hold it. */
export async function keptPage(kept) {
  let page = await source("/");
  for (const [link, address] of page.matchAll(STYLE)) {
    const style = await source(address);
    page = page.replace(link, () => `<style>${style}</style>`);
  }
  const [script, main] = page.match(SCRIPT);
  const data = JSON.stringify(kept).replaceAll("<", "\\u003c"); // a text must not end the script it is in
  const parts = [
    `<script type="application/json" id="kept">${data}</script>`,
    `<script type="importmap">${JSON.stringify({ imports: await modules(main) })}</script>`,
    `<script type="module">import "cloze/${main}";</script>`,
  ];
  const policy = `<meta http-equiv="Content-Security-Policy" content="${POLICY}">`;
  return page
    .replace(ICON, "")
    .replace(CHARSET, `${CHARSET}${policy}`)
    .replace(script, () => parts.join("\n"));
}

/** Every module that one needs, under a name that does not depend on where the page is. */
async function modules(main) {
  const found = {};
  const wanted = [main];
  while (wanted.length) {
    const name = wanted.pop();
    if (found[`cloze/${name}`]) continue;
    const text = await source(`/${name}`);
    for (const [, other] of text.matchAll(IMPORT)) wanted.push(other);
    const code = text.replace(IMPORT, 'from "cloze/$1"');
    found[`cloze/${name}`] = `data:text/javascript;charset=utf-8,${encodeURIComponent(code)}`;
  }
  return found;
}

/** What a kept page holds, if this is one. */
export function keptHere() {
  const found = document.getElementById("kept");
  return found ? JSON.parse(found.textContent) : null;
}

export function download(name, html) {
  const address = URL.createObjectURL(new Blob([html], { type: "text/html" }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}
