/* Heat maps over a text: one map, or a film over the tokens of the question.
 *
 * One module for all: the page of `cloze serve` imports it; a report holds it, with the scripts that
 * follow it, in a module of its own; in a notebook anywidget runs it, followed by notebook.js. */

const ENDS = /^([.?!]|\.\.\.)$/; // of a sentence
const CLOSING = /^(''|['\)\]”’])$/; // what may follow its end

/** Bytes of a base64 text. */
export function bytesOf(text) {
  const raw = atob(text);
  const bytes = new Uint8Array(raw.length);
  for (let k = 0; k < raw.length; k++) bytes[k] = raw.charCodeAt(k);
  return bytes;
}

/** Bytes of a base64 text that was compressed with gzip. */
export async function decompress(text) {
  const stream = new Blob([bytesOf(text)]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** A packed text as parallel arrays; `marker` is the number, -1 for the gap, null for a word. */
export function unpack(packed) {
  const surfaces = packed.w === "" && !packed.k ? [] : packed.w.split("\t");
  const text = {
    surfaces,
    tokens: surfaces.map((surface) => surface.toLowerCase()),
    spacing: Array.from(packed.k, Number),
    marker: surfaces.map(() => null),
  };
  for (let k = 0; k < packed.m.length; k += 2) {
    const [place, marker] = [packed.m[k], packed.m[k + 1]];
    text.marker[place] = marker;
    text.tokens[place] = marker < 0 ? "X" : "ent" + marker;
  }
  for (let k = 0; k < (packed.o || []).length; k += 2) text.tokens[packed.o[k]] = packed.o[k + 1];
  return text;
}

/** An element with a class, a text and children. */
export function make(tag, { cls = "", text = null, attrs = {}, on = {} } = {}, ...children) {
  const element = document.createElement(tag);
  if (cls) element.className = cls;
  if (text !== null) element.textContent = text;
  for (const [name, value] of Object.entries(attrs)) element.setAttribute(name, value);
  for (const [name, action] of Object.entries(on)) element.addEventListener(name, action);
  element.append(...children);
  return element;
}

/** The words that people or the machine read. The gap of a question is never filled in. */
function wordAt(text, place, names) {
  if (text.marker[place] === -1) return names ? "\u2007\u2007\u2007\u2007\u2007" : "X";
  return (names ? text.surfaces[place] : text.tokens[place]) ?? "";
}

/** Paragraphs with a span per token; returns the spans. `role(marker)` is a class or "". */
function layText(box, text, names, role) {
  const spans = [];
  let paragraph = make("p");
  box.append(paragraph);
  text.surfaces.forEach((_, k) => {
    const span = make("span", { text: wordAt(text, k, names) });
    const marker = text.marker[k];
    if (marker === -1) span.className = "gap";
    else if (marker !== null) span.className = "entity " + role(marker);
    else if (!names && text.unknown?.has(k)) span.className = "unknown-word";
    spans.push(span);
    paragraph.append(span);
    if (text.spacing[k] === 2 && k + 1 < text.surfaces.length) {
      paragraph = make("p");
      box.append(paragraph);
    } else if (names ? text.spacing[k] === 1 : true) paragraph.append(" ");
  });
  return spans;
}

/**
 * Attention as levels of colour: level = 255 √(weight / peak), as in levels.py, which says why.
 * rows: the weights of each step, each over `width` tokens.
 */
export function levelsOf(rows, width) {
  const least = Math.min(1, 20 / width);
  const peak = rows.reduce((most, row) => row.reduce((a, b) => Math.max(a, b), most), least);
  const levels = new Uint8Array(rows.length * width);
  rows.forEach((row, step) => {
    row.forEach((weight, k) => {
      levels[step * width + k] = Math.round(255 * Math.sqrt(weight / peak));
    });
  });
  return { steps: rows.length, peak, spread: rows.map(perplexity), levels };
}

/** How many tokens a row is spread over: 1 if all its weight is on one token. */
function perplexity(row) {
  const total = row.reduce((sum, weight) => sum + weight, 0) || 1;
  let entropy = 0;
  for (const weight of row) if (weight > 0) entropy -= (weight / total) * Math.log(weight / total);
  return Math.exp(entropy);
}

export class HeatMap {
  /**
   * what: { context, query (unpacked), answer, predicted, steps, peak, spread,
   *         levels (Uint8Array, step after step) }; context.unknown is a Set of the places of
   *         words that the reader does not know, if that is known
   * on.step(step): another step of the film is shown
   * on.word(place, span): a word of the text was chosen, by a click or with the Enter key
   */
  constructor(host, what, names = true, on = {}) {
    Object.assign(this, { host, what, names, on, step: what.steps - 1, timer: null });
    host.classList.add("heatmap");
    this.build();
  }

  get film() {
    return this.what.steps > 1;
  }

  build() {
    const { host, what } = this;
    this.stop();
    host.replaceChildren();
    this.query = make("div", { cls: "query" });
    host.append(this.query);
    this.queryWords = layText(this.query, what.query, this.names, (m) => this.role(m));
    if (this.film) this.buildFilm();
    this.ribbon = make("canvas", {
      cls: "ribbon",
      attrs: { role: "img", "aria-label": "Attention along the text; click to go there" },
      on: { click: (event) => this.jump(event) },
    });
    this.text = make("div", { cls: "text", attrs: { tabindex: "0" } });
    this.words = layText(this.text, what.context, this.names, (m) => this.role(m));
    this.shown = new Uint8Array(this.words.length);
    if (this.on.word) this.letChoose();
    this.legend = make("p", { cls: "scale" });
    if (what.steps) host.append(this.ribbon);
    host.append(this.text);
    if (what.steps) host.append(this.legend);
    this.multiples = make("div", { cls: "multiples", attrs: { hidden: "" } });
    host.append(this.multiples);
    if (!what.steps) return;
    this.show(this.step);
    // A long text opens where it was looked at most.
    const levels = this.levelsAt(this.step);
    this.bring(levels.indexOf(Math.max(...levels)), "auto");
  }

  /** Words can be chosen: one of them can be reached with Tab, the others with the arrow keys. */
  letChoose() {
    this.text.removeAttribute("tabindex"); // a word has the focus instead, and scrolls the text
    this.text.classList.add("choosing");
    const words = this.words;
    this.here = 0;
    this.goTo(0);
    this.text.addEventListener("click", (event) => {
      const place = words.indexOf(event.target);
      if (place < 0) return;
      this.goTo(place);
      this.on.word(place, words[place]);
    });
    const names = words.map((_, k) => k).filter((k) => this.what.context.marker[k] !== null);
    this.text.addEventListener("keydown", (event) => {
      if (!words.includes(event.target)) return;
      const aim = {
        ArrowLeft: () => this.here - 1,
        ArrowRight: () => this.here + 1,
        ArrowUp: () => names.findLast((k) => k < this.here),
        ArrowDown: () => names.find((k) => k > this.here),
        Home: () => 0,
        End: () => words.length - 1,
      }[event.key];
      if (aim) {
        this.goTo(aim());
        words[this.here].focus();
      } else if (event.key === "Enter" || event.key === " ") this.on.word(this.here, event.target);
      else return;
      event.preventDefault();
      event.stopPropagation();
    });
  }

  /** The word that Tab leads to. */
  goTo(place) {
    if (!this.words[place]) return;
    this.words[this.here].removeAttribute("tabindex");
    this.here = place;
    this.words[place].tabIndex = 0;
  }

  role(marker) {
    if (marker === this.what.answer) return "right";
    return marker === this.what.predicted ? "wrong" : "";
  }

  buildFilm() {
    const last = this.what.steps - 1;
    this.play = make("button", {
      cls: "play", text: "▶", attrs: { type: "button", "aria-label": "Play" },
      on: { click: () => (this.timer ? this.stop() : this.start()) },
    });
    this.slider = make("input", {
      attrs: { type: "range", min: 0, max: last, step: 1, "aria-label": "Token of the question" },
      on: { input: () => { this.stop(); this.show(Number(this.slider.value)); } },
    });
    this.counter = make("output");
    this.all = make("button", {
      cls: "all", text: "all steps", attrs: { type: "button", "aria-pressed": "false" },
      on: { click: () => this.toggleMultiples() },
    });
    const controls = make("div", { cls: "film" }, this.play, this.slider, this.counter, this.all);
    this.host.append(controls);
    this.queryWords.forEach((word, k) => {
      if (k > last) return;
      word.classList.add("step");
      word.addEventListener("click", () => { this.stop(); this.show(k); });
    });
    this.host.onkeydown = (event) => {
      const move = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (event.target === this.slider && move) return; // the slider moves by itself
      if (move && event.target !== this.slider) {
        this.stop();
        this.show(Math.min(last, Math.max(0, this.step + move)));
        event.preventDefault();
      } else if (event.key === " " && event.target.tagName !== "BUTTON") {
        this.timer ? this.stop() : this.start();
        event.preventDefault();
      }
    };
  }

  start() {
    if (this.step === this.what.steps - 1) this.show(0);
    this.play.textContent = "❚❚";
    this.play.setAttribute("aria-label", "Pause");
    this.timer = setInterval(() => {
      if (this.step === this.what.steps - 1) this.stop();
      else this.show(this.step + 1);
    }, 650);
  }

  stop() {
    clearInterval(this.timer);
    this.timer = null;
    if (this.play) {
      this.play.textContent = "▶";
      this.play.setAttribute("aria-label", "Play");
    }
  }

  levelsAt(step) {
    const width = this.words.length;
    return this.what.levels.subarray(step * width, (step + 1) * width);
  }

  show(step) {
    this.step = step;
    const levels = this.levelsAt(step);
    for (let k = 0; k < levels.length; k++) {
      // Only what changes is touched, so that a long text stays fast.
      if (levels[k] !== this.shown[k]) paint(this.words[k], levels[k]);
    }
    this.shown = levels.slice();
    this.drawRibbon(levels);
    const tokens = this.what.spread[step];
    const peak = (100 * this.what.peak).toFixed(this.what.peak < 0.1 ? 1 : 0);
    this.legend.replaceChildren(
      make("span", { cls: "swatch" }),
      ` none to ${peak} % of the attention on one token. Here it is spread over about ` +
        `${tokens < 10 ? tokens.toFixed(1) : Math.round(tokens)} of ${levels.length} tokens.`,
    );
    if (!this.film) return;
    this.on.step?.(step);
    this.slider.value = step;
    this.counter.textContent = `${step + 1} / ${this.what.steps}`;
    const word = wordAt(this.what.query, step, this.names).trim() || "the gap";
    this.slider.setAttribute("aria-valuetext", `${step + 1}: ${word}`);
    this.queryWords.forEach((span, k) => {
      span.classList.toggle("now", k === step);
      span.classList.toggle("unread", k > step);
    });
  }

  drawRibbon(levels) {
    const canvas = this.ribbon;
    const width = canvas.clientWidth || 600;
    const [height, ratio] = [canvas.clientHeight || 26, window.devicePixelRatio || 1];
    canvas.width = width * ratio;
    canvas.height = height * ratio;
    const pen = canvas.getContext("2d");
    pen.scale(ratio, ratio);
    pen.fillStyle = getComputedStyle(canvas).color;
    const room = width / levels.length;
    for (let k = 0; k < levels.length; k++) {
      const tall = (height * levels[k]) / 255;
      if (levels[k] > 3) pen.fillRect(k * room, height - tall, Math.max(1, room), tall);
    }
  }

  jump(event) {
    const share = event.offsetX / this.ribbon.clientWidth;
    this.bring(Math.min(this.words.length - 1, Math.floor(share * this.words.length)), "smooth");
  }

  /** Scroll only the text, until a token is in the middle of it and the first line is whole. */
  bring(place, behavior) {
    const { text, words } = this;
    if (!words[place]) return;
    const above = parseFloat(getComputedStyle(text).paddingTop);
    const begin = text.getBoundingClientRect().top - text.scrollTop + above;
    const topOf = (word) => word.getBoundingClientRect().top - begin;
    const most = text.scrollHeight - text.clientHeight;
    const wanted = Math.min(most, topOf(words[place]) - text.clientHeight / 2);
    const tops = words.map(topOf).filter((top) => top <= wanted);
    text.scrollTo({ top: Math.max(0, ...tops), behavior });
  }

  toggleMultiples(open = this.multiples.hidden) {
    if (open && !this.multiples.childElementCount) this.buildMultiples();
    this.multiples.hidden = !open;
    if (this.all) this.all.setAttribute("aria-pressed", String(open));
  }

  /** Every step beside the others, over the sentences that were looked at most (appendix C). */
  buildMultiples() {
    const chosen = this.excerpt(90);
    for (let step = 0; step < this.what.steps; step++) {
      const levels = this.levelsAt(step);
      const head = make("h5");
      this.what.query.surfaces.forEach((_, k) => {
        if (Math.abs(k - step) > 2) return;
        const word = wordAt(this.what.query, k, this.names).trim() || "___";
        head.append(make(k === step ? "b" : "span", { text: word }), " ");
      });
      const body = make("p");
      let before = -1;
      for (const k of chosen) {
        if (k !== before + 1) body.append("… ");
        const span = make("span", { text: wordAt(this.what.context, k, this.names) });
        const marker = this.what.context.marker[k];
        if (marker !== null) span.className = "entity " + this.role(marker);
        paint(span, levels[k]);
        body.append(span);
        if (!this.names || this.what.context.spacing[k] !== 0) body.append(" ");
        before = k;
      }
      if (before + 1 < this.words.length) body.append("…");
      const number = make("span", { cls: "number", text: String(step + 1) });
      head.prepend(number, " ");
      this.multiples.append(make("div", { cls: "frame" }, head, body));
    }
  }

  /** The places of the sentences with the highest peaks, together at most `most` tokens. */
  excerpt(most) {
    const { tokens, spacing } = this.what.context;
    const sentences = [[]]; // split as by Text.sentences in text.py
    tokens.forEach((token, k) => {
      const ended = sentences[sentences.length - 1].push(k) > 1 && ENDS.test(tokens[k - 1]);
      const ends = ENDS.test(token) || (ended && CLOSING.test(token));
      if ((ends && spacing[k] !== 0) || spacing[k] === 2) sentences.push([]);
    });
    const width = tokens.length;
    const peakOf = (places) => {
      let peak = 0;
      for (let s = 0; s < this.what.steps; s++)
        for (const k of places) peak = Math.max(peak, this.what.levels[s * width + k]);
      return peak;
    };
    const ranked = sentences.filter((s) => s.length).map((s) => [peakOf(s), s]);
    ranked.sort((a, b) => b[0] - a[0]);
    const chosen = [];
    for (const [, places] of ranked) {
      if (chosen.length && chosen.length + places.length > most) break;
      chosen.push(...places);
    }
    return chosen.sort((a, b) => a - b);
  }

  setNames(names) {
    if (names === this.names) return;
    const [open, top] = [!this.multiples.hidden, this.text.scrollTop];
    this.names = names;
    this.build();
    this.text.scrollTop = top;
    if (open) this.toggleMultiples(true);
  }
}

function paint(span, level) {
  span.style.background = level > 3 ? `rgb(var(--heat) / ${(0.9 * level) / 255})` : "";
}
