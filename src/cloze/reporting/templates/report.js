/* The page: which split is shown, the curves' legend, the gallery, the browser over questions. */

const page = JSON.parse(document.getElementById("data").textContent);
const datasets = new Map(); // decoded when first shown
const state = { dataset: 0, names: true, cards: [], detail: null };

function dataset(number) {
  if (!datasets.has(number)) datasets.set(number, new Dataset(page.datasets[number]));
  return datasets.get(number);
}

/* Curves: a model in the legend brings its curves forward. */
for (const legend of document.querySelectorAll(".legend")) {
  const figures = legend.parentElement.querySelector(".figures");
  const bring = (number) => {
    figures.classList.toggle("focus", number !== null);
    for (const part of figures.querySelectorAll(".series, .band")) {
      const own = number !== null && part.classList.contains("of-" + number);
      part.style.opacity = own ? 1 : "";
    }
  };
  let held = null;
  for (const button of legend.querySelectorAll("button")) {
    const number = button.dataset.model;
    for (const event of ["pointerenter", "focus"]) button.addEventListener(event, () => bring(number));
    for (const event of ["pointerleave", "blur"]) button.addEventListener(event, () => bring(held));
    button.addEventListener("click", () => {
      held = held === number ? null : number;
      for (const other of legend.querySelectorAll("button"))
        other.setAttribute("aria-pressed", String(other.dataset.model === held));
      bring(held ?? number);
    });
  }
}

/* Gallery */
function showGallery() {
  const host = document.getElementById("gallery");
  if (!host) return;
  const data = dataset(state.dataset);
  host.replaceChildren();
  state.cards = data.gallery.flat().map((map) => {
    const article = make("article");
    host.append(article);
    return new Card(article, data, map, state.names);
  });
}

/* Browser */
const PAGE = 60;
const find = (id) => document.getElementById(id);
const controls = { search: find("search"), least: find("least"), most: find("most"), sort: find("sort") };
let matches = [];
let rendered = 0;

/** What the search looks into: the question with its names, its answer, its ids. */
function haystack(data) {
  data.hay ??= data.questions.query.map((packed, k) => {
    const { id, answer, document } = data.questions;
    const right = data.entity(k, answer[k]);
    return [packed.w.replaceAll("\t", " "), right, id[k], data.documents.url[document[k]]]
      .join(" ").toLowerCase();
  });
  return data.hay;
}

function buildVerdicts() {
  const host = find("verdicts");
  host.replaceChildren();
  dataset(state.dataset).models.forEach((model, number) => {
    const next = { any: "right", right: "wrong", wrong: "any" };
    const button = make("button", {
      text: model.name, attrs: { type: "button", "data-want": "any", "data-model": number },
      on: { click: () => { button.dataset.want = next[button.dataset.want]; search(); } },
    });
    host.append(button);
  });
}

function search() {
  const data = dataset(state.dataset);
  const words = controls.search.value.toLowerCase().trim().split(/\s+/).filter(Boolean);
  const least = Number(controls.least.value) || 0;
  const most = Number(controls.most.value) || Infinity;
  const wanted = [...find("verdicts").children]
    .filter((button) => button.dataset.want !== "any")
    .map((button) => [Number(button.dataset.model), button.dataset.want === "right"]);
  const hay = words.length ? haystack(data) : null;
  matches = [];
  for (let k = 0; k < data.size; k++) {
    const length = data.tokens(k);
    if (length < least || length > most) continue;
    if (wanted.some(([model, right]) => data.isRight(model, k) !== right)) continue;
    if (hay && !words.every((word) => hay[k].includes(word))) continue;
    matches.push(k);
  }
  const by = controls.sort.value;
  const right = (k) => data.said.reduce((sum, one) => sum + one.right[k], 0);
  if (by === "short") matches.sort((a, b) => data.tokens(a) - data.tokens(b));
  if (by === "long") matches.sort((a, b) => data.tokens(b) - data.tokens(a));
  if (by === "hard") matches.sort((a, b) => right(a) - right(b));
  rendered = 0;
  find("list").replaceChildren();
  find("found").textContent = `${matches.length.toLocaleString("en")} of ${data.size.toLocaleString("en")} questions`;
  more();
}

function more() {
  const data = dataset(state.dataset);
  const list = find("list");
  list.querySelector(".more")?.remove();
  for (const k of matches.slice(rendered, rendered + PAGE)) list.append(row(data, k));
  rendered = Math.min(matches.length, rendered + PAGE);
  if (rendered < matches.length)
    list.append(make("li", { cls: "more soft", text: "…" }));
}
find("list").addEventListener("scroll", (event) => {
  const box = event.target;
  if (rendered < matches.length && box.scrollTop + box.clientHeight > box.scrollHeight - 400) more();
});

function writeQuery(box, text, names) {
  text.surfaces.forEach((_, k) => {
    const cls = text.marker[k] === -1 ? "gap" : text.marker[k] === null ? "" : "entity";
    box.append(make("span", { cls, text: wordAt(text, k, names) }));
    if (!names || text.spacing[k] !== 0) box.append(" ");
  });
}

function row(data, k) {
  const line = make("div");
  writeQuery(line, data.query(k), state.names);
  const dots = make("span", { cls: "dots", attrs: { role: "img" } });
  let right = 0;
  data.models.forEach((model, number) => {
    const yes = data.isRight(number, k);
    right += yes;
    const dot = make("i", { cls: yes ? "yes" : "", attrs: { title: `${model.name}: ${yes ? "right" : "wrong"}` } });
    dot.style.color = `var(--c${model.colour.slice(1)}, ${model.colour})`;
    dots.append(dot);
  });
  dots.setAttribute("aria-label", `${right} of ${data.models.length} models right`);
  const meta = make("span", { cls: "meta" }, make("span", { text: `${data.tokens(k)} tokens` }), dots);
  const button = make("button", { attrs: { type: "button", "data-question": k }, on: { click: () => open(k, true) } }, line, meta);
  return make("li", {}, button);
}

/** Show a question beside the list, with the model whose heat map the page holds first. */
async function open(k, byHand = false) {
  const data = dataset(state.dataset);
  for (const button of find("list").querySelectorAll("button"))
    button.setAttribute("aria-current", String(Number(button.dataset.question) === k));
  const withMap = data.models.findIndex((_, model) => data.mapOf.has(k + "/" + model));
  const model = withMap >= 0 ? withMap : data.bestModel;
  state.detail = { k, model, heatmap: null };
  await showDetail();
  if (byHand && find("detail").getBoundingClientRect().top > window.innerHeight - 120)
    find("detail").scrollIntoView({ block: "start" });
}

async function showDetail() {
  const data = dataset(state.dataset);
  const { k, model } = state.detail;
  const what = await data.heat(k, model);
  if (state.detail.k !== k || state.detail.model !== model) return; // something else was opened
  const box = find("detail");
  const scrolled = box.querySelector(".text")?.scrollTop ?? 0;
  const same = box.dataset.question === `${state.dataset}/${k}`;
  box.dataset.question = `${state.dataset}/${k}`;
  const head = make("h3");
  writeQuery(head, data.query(k), state.names);
  const answer = data.entity(k, data.questions.answer[k], state.names);
  const facts = make("p", { cls: "small" });
  facts.append("Answer: ", make("b", { text: answer }),
    ` · ${data.tokens(k)} tokens · ${data.questions.entities[k]} entities · the answer is no. ${data.questions.rank[k]} by frequency`);
  box.replaceChildren(head, facts, answersTable(data, k, model));
  const host = make("div");
  box.append(host);
  if (what) {
    state.detail.heatmap = new HeatMap(host, what, state.names);
    // In a film the question is the control, so it is not shown a second time.
    (what.steps > 1 ? head : host.querySelector(".query")).hidden = true;
    if (!what.steps) host.append(make("p", { cls: "scale", text: attentionNote(data, model) }));
    if (same) host.querySelector(".text").scrollTop = scrolled;
  } else host.append(make("p", { cls: "small", text: "The text of this article is not in the page; cloze report --texts includes more." }));
  const { id, document } = data.questions;
  const url = data.documents.url[document[k]];
  box.append(make("p", { cls: "small", text: `Question ${id[k]}${url ? " · " + url : ""}`, attrs: { style: "overflow-wrap:anywhere;margin:0.7rem 0 0" } }));
}

function attentionNote(data, model) {
  return data.maps.some((map) => map.model === model)
    ? "The attention for this question is not in the page; cloze heatmap draws it."
    : `There is no attention for ${data.models[model].name}: the text is shown with its entities.`;
}

function answersTable(data, k, chosen) {
  const body = make("tbody");
  data.models.forEach((one, model) => {
    const given = make("span", { cls: "given" });
    data.best(model, k).forEach(({ marker, score }, place) => {
      const right = marker === data.questions.answer[k];
      const shown = one.scores === "probability" ? `${(100 * score).toFixed(0)} %` : String(Number(score.toPrecision(3))).replace("-", "−");
      given.append(make("span", { cls: right ? "ok" : place === 0 ? "no" : "soft", text: `${data.entity(k, marker, state.names)} ${shown}` }));
    });
    const right = data.isRight(model, k);
    const cause = data.causeOf(model, k);
    if (cause) given.append(make("span", { cls: "cause", text: cause }));
    const choose = () => { state.detail.model = model; showDetail(); };
    const mark = make("button", {
      text: (right ? "✓ " : "✗ ") + one.name, on: { click: choose },
      attrs: { type: "button", "aria-pressed": String(model === chosen), style: `color:var(--${right ? "right" : "wrong"})` },
    });
    const looked = data.mapOf.has(k + "/" + model) ? make("span", { cls: "soft", text: " ◐", attrs: { title: "with heat map" } }) : "";
    const cls = model === chosen ? "chosen" : "";
    body.append(make("tr", { cls }, make("td", {}, mark, looked), make("td", {}, given)));
  });
  return make("table", {}, body);
}

for (const control of [controls.search, controls.least, controls.most]) control.addEventListener("input", search);
controls.sort.addEventListener("change", search);
find("list").addEventListener("keydown", (event) => {
  const step = { ArrowDown: "nextElementSibling", ArrowUp: "previousElementSibling" }[event.key];
  const next = step && event.target.closest("li")?.[step]?.querySelector("button");
  if (!next) return;
  event.preventDefault();
  next.focus();
  next.click();
});

for (const host of document.querySelectorAll(".names"))
  bindNames(host, (names) => {
    state.names = names;
    for (const button of document.querySelectorAll(".names button"))
      button.setAttribute("aria-pressed", String((button.dataset.names === "1") === names));
    for (const card of state.cards) card.setNames(names);
    for (const button of find("list").querySelectorAll("button")) {
      const line = button.firstElementChild;
      line.replaceChildren();
      writeQuery(line, dataset(state.dataset).query(Number(button.dataset.question)), names);
    }
    if (state.detail) showDetail();
  });

/* Which split is shown */
function show(number) {
  state.dataset = number;
  for (const part of document.querySelectorAll("[data-dataset]"))
    part.hidden = Number(part.dataset.dataset) !== number;
  for (const button of document.querySelectorAll("[data-show-dataset]"))
    button.setAttribute("aria-pressed", String(Number(button.dataset.showDataset) === number));
  showGallery();
  buildVerdicts();
  search();
  // The first question whose heat map is on the page shows the most.
  const data = dataset(number);
  const looked = (k) => data.models.some((_, model) => data.mapOf.has(k + "/" + model));
  if (matches.length) open(matches.find(looked) ?? matches[0]);
}
for (const button of document.querySelectorAll("[data-show-dataset]"))
  button.addEventListener("click", () => show(Number(button.dataset.showDataset)));

// Paper has no slider: all steps of a film are printed side by side.
window.addEventListener("beforeprint", () => {
  for (const card of state.cards) if (card.heatmap?.film) card.heatmap.toggleMultiples(true);
});
show(0);
// Heat maps out of view are built when there is time, so that they can be printed.
setTimeout(async () => {
  for (const card of state.cards) await card.open();
}, 1500);
