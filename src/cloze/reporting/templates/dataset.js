/* The questions of one split with every model's answers; texts are unpacked on demand. */

class Dataset {
  constructor(data) {
    Object.assign(this, data);
    this.size = data.questions.id.length;
    this.said = data.said.map((one) => ({
      markers: new Int32Array(bytesOf(one.markers).buffer),
      scores: new Float32Array(bytesOf(one.scores).buffer),
      right: bytesOf(one.right),
      place: bytesOf(one.place),
      cause: bytesOf(one.cause),
    }));
    this.names = data.documents.names.map((flat) => {
      const names = new Map();
      for (let k = 0; k < flat.length; k += 2) names.set(flat[k], flat[k + 1]);
      return names;
    });
    this.unpacked = new Map();
    this.mapOf = new Map(data.maps.map((map, k) => [map.question + "/" + map.model, k]));
  }

  /** An entity as shown: its name, or its marker. */
  entity(question, marker, names = true) {
    if (marker < 0) return "a word that is not a candidate";
    if (!names) return "ent" + marker;
    return this.names[this.questions.document[question]].get(marker) ?? "ent" + marker;
  }

  query(question) {
    return unpack(this.questions.query[question]);
  }

  tokens(question) {
    return this.documents.tokens[this.questions.document[question]];
  }

  /** The model's best candidates: [{marker, score}], fewer if the document has fewer. */
  best(model, question) {
    const { markers, scores } = this.said[model];
    const found = [];
    for (let k = question * this.top; k < (question + 1) * this.top; k++)
      if (markers[k] >= 0) found.push({ marker: markers[k], score: scores[k] });
    return found;
  }

  isRight(model, question) {
    return this.said[model].right[question] === 1;
  }

  causeOf(model, question) {
    return this.isRight(model, question) ? "" : this.causes[this.said[model].cause[question]];
  }

  /** The article's text, or null if it is not in the page. */
  async text(document) {
    const chunk = Math.floor(document / this.textsAChunk);
    if (chunk >= this.texts.length) return null;
    if (!this.unpacked.has(chunk)) {
      const json = new TextDecoder().decode(await decompress(this.texts[chunk]));
      this.unpacked.set(chunk, JSON.parse(json));
    }
    const packed = this.unpacked.get(chunk)[document % this.textsAChunk];
    return packed ? unpack(packed) : null;
  }

  /** Everything that a HeatMap needs; without a map, the plain text; null if there is no text. */
  async heat(question, model, map = this.mapOf.get(question + "/" + model)) {
    const context = await this.text(this.questions.document[question]);
    if (!context) return null;
    const packed = map === undefined ? { steps: 0, peak: 0, spread: [] } : this.maps[map];
    const best = this.best(model, question)[0];
    return {
      context,
      query: this.query(question),
      answer: this.questions.answer[question],
      predicted: best ? best.marker : -1,
      ...packed,
      levels: packed.z ? await decompress(packed.z) : new Uint8Array(0),
    };
  }
}

/** A model's answer to a question in one line: mark, answer, and the right one if different. */
function verdict(data, model, question, names) {
  const right = data.isRight(model, question);
  const best = data.best(model, question)[0];
  const line = make("p", { cls: "verdict " + (right ? "right" : "wrong") });
  line.append(make("span", { cls: "mark", text: right ? "✓" : "✗" }), " ");
  const given = data.entity(question, best ? best.marker : -1, names);
  const wanted = data.entity(question, data.questions.answer[question], names);
  line.append(make("b", { text: given }));
  if (!right) line.append(make("span", { cls: "soft", text: " instead of " }), make("b", { text: wanted }));
  const cause = data.causeOf(model, question);
  if (cause) line.append(" ", make("span", { cls: "cause", text: cause }));
  return line;
}

/** A card of the gallery; the heat map is built when the card comes into view. */
class Card {
  constructor(host, data, map, names) {
    Object.assign(this, { host, data, map, names, heatmap: null });
    this.where = data.maps[map];
    const { question, model } = this.where;
    host.classList.add("card", data.isRight(model, question) ? "on-left" : "on-right");
    this.lay();
    const watcher = new IntersectionObserver((seen) => {
      if (!seen.some((one) => one.isIntersecting)) return;
      watcher.disconnect();
      this.open();
    }, { rootMargin: "300px" });
    watcher.observe(host);
  }

  lay() {
    const { question, model } = this.where;
    const name = make("h4", { text: this.data.models[model].name });
    const size = make("span", { cls: "soft", text: `${this.data.tokens(question)} tokens` });
    this.head = make("div", { cls: "head" }, name, size);
    this.line = verdict(this.data, model, question, this.names);
    this.body = this.body ?? make("div");
    this.host.replaceChildren(this.head, this.line, this.body);
  }

  async open() {
    if (this.heatmap) return;
    const { question, model } = this.where;
    const what = await this.data.heat(question, model, this.map);
    if (what && !this.heatmap) this.heatmap = new HeatMap(this.body, what, this.names);
  }

  setNames(names) {
    this.names = names;
    this.lay();
    if (this.heatmap) this.heatmap.setNames(names);
  }
}

/** The switch between names and markers: two buttons with data-names "1" and "0". */
function bindNames(host, change) {
  const buttons = [...host.querySelectorAll("button")];
  for (const button of buttons)
    button.addEventListener("click", () => {
      for (const other of buttons) other.setAttribute("aria-pressed", String(other === button));
      change(button.dataset.names === "1");
    });
}
