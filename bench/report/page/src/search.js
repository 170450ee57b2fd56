// The search by debug name, which all views follow.

export class Search {
  #text = '';
  #listeners = [];
  #matches = new WeakMap();

  get active() {
    return this.#text !== '';
  }

  get text() {
    return this.#text;
  }

  set(text) {
    const wanted = text.trim().toLowerCase();
    if (wanted === this.#text) return;
    this.#text = wanted;
    this.#matches = new WeakMap();
    this.#listeners.forEach((listener) => listener());
  }

  onChange(listener) {
    this.#listeners.push(listener);
  }

  matchesText(text) {
    return !this.active || text.toLowerCase().includes(this.#text);
  }

  /** For each name of a report, whether it matches. */
  matchesOf(report) {
    let matches = this.#matches.get(report);
    if (!matches) {
      matches = Uint8Array.from(report.names, (name) => Number(this.matchesText(name)));
      this.#matches.set(report, matches);
    }
    return matches;
  }
}
