// A small client of the WebDriver protocol, for Chromium and the ChromeDriver that is built with it.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';

const ELEMENT = 'element-6066-11e4-a52e-4f735466cecf';
const START_SECONDS = 60;

const FLAGS = ['--headless=new', '--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-dev-shm-usage', '--no-first-run',
  '--disable-background-networking', '--disable-component-update', '--disable-sync', '--force-device-scale-factor=1',
  '--host-resolver-rules=MAP * ~NOTFOUND'];

/** Starts ChromeDriver on a port of its choice. */
async function startDriver(command) {
  const process = spawn(command, ['--port=0', '--log-level=WARNING'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const port = await new Promise((resolve, reject) => {
    let text = '';
    process.stdout.on('data', (data) => {
      text += data;
      const match = /successfully on port (\d+)/.exec(text);
      if (match) resolve(Number(match[1]));
    });
    process.on('error', reject);
    setTimeout(() => reject(new Error(`${command} does not start: ${text}`)), START_SECONDS * 1000).unref();
    process.on('exit', (code) => reject(new Error(`${command} ended with ${code}: ${text}`)));
  });
  return { process, port };
}

/** A browser with one window. Close it in any case: it is a process, with a folder. */
export class Browser {
  #driver;
  #base;
  #profile = mkdtempSync(join(tmpdir(), 'poplar-report-browser-'));

  static async start({ chromium, chromedriver, width = 1280, height = 900 }) {
    const browser = new Browser();
    try {
      await browser.#start(chromium, chromedriver, width, height);
    } catch (error) {
      await browser.close();
      throw error;
    }
    return browser;
  }

  async #start(chromium, chromedriver, width, height) {
    this.#driver = await startDriver(chromedriver);
    this.#base = `http://127.0.0.1:${this.#driver.port}`;
    const args = [...FLAGS, `--window-size=${width},${height}`, `--user-data-dir=${this.#profile}`];
    const { sessionId } = await this.#call('POST', '/session', {
      capabilities: { alwaysMatch: {
        'goog:chromeOptions': { binary: chromium, args },
        'goog:loggingPrefs': { browser: 'ALL' },
      } },
    });
    this.#base += `/session/${sessionId}`;
    await this.#call('POST', '/timeouts', { script: START_SECONDS * 1000, pageLoad: START_SECONDS * 1000 });
  }

  async close() {
    try {
      if (this.#base?.includes('/session/')) await this.#call('DELETE', '');
    } finally {
      this.#driver?.process.kill();
      await sleep(100); // the browser writes into its folder until it is gone
      rmSync(this.#profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    }
  }

  async #call(method, path, body) {
    const answer = await fetch(this.#base + path, { method, body: body && JSON.stringify(body), signal: AbortSignal.timeout(2 * START_SECONDS * 1000) });
    const { value } = await answer.json();
    if (value?.error) throw new Error(`${method} ${path}: ${value.error}: ${value.message}`);
    return value;
  }

  /** Opens a page, and waits until it says that it is ready. */
  async open(file) {
    await this.#call('POST', '/url', { url: pathToFileURL(file).href });
    await this.until(() => document.documentElement.dataset.ready === 'yes' || document.querySelector('.error'));
  }

  /** Calls a function of no free variables in the page; it may return a promise. */
  run(script, ...args) {
    return this.#call('POST', '/execute/sync', { script: `return (${script}).apply(null, arguments)`, args });
  }

  async until(condition, ...args) {
    for (const end = Date.now() + START_SECONDS * 1000; Date.now() < end; await sleep(30))
      if (await this.run(condition, ...args)) return;
    throw new Error(`waited in vain for ${condition}`);
  }

  async find(selector) {
    const value = await this.#call('POST', '/element', { using: 'css selector', value: selector });
    return value[ELEMENT];
  }

  async click(selector) {
    await this.#call('POST', `/element/${await this.find(selector)}/click`, {});
  }

  /** Clicks at a place in an element, from its top left corner. */
  async clickAt(selector, x, y) {
    await this.run((s) => document.querySelector(s).scrollIntoView({ block: 'center' }), selector);
    const box = await this.run((s) => document.querySelector(s).getBoundingClientRect().toJSON(), selector);
    const at = { x: Math.round(box.x + x), y: Math.round(box.y + y) };
    await this.#pointer([{ type: 'pointerMove', ...at, duration: 0 }, { type: 'pointerDown', button: 0 }, { type: 'pointerUp', button: 0 }]);
  }

  async dragAt(selector, from, to, y) {
    const box = await this.run((s) => document.querySelector(s).getBoundingClientRect().toJSON(), selector);
    const at = (x) => ({ type: 'pointerMove', x: Math.round(box.x + x), y: Math.round(box.y + y), duration: 20 });
    await this.#pointer([at(from), { type: 'pointerDown', button: 0 }, at((from + to) / 2), at(to), { type: 'pointerUp', button: 0 }]);
  }

  #pointer(actions) {
    return this.#call('POST', '/actions', { actions: [{ type: 'pointer', id: 'mouse', parameters: { pointerType: 'mouse' }, actions }] });
  }

  async type(selector, text) {
    await this.#call('POST', `/element/${await this.find(selector)}/value`, { text });
  }

  /** Types into what has the focus. */
  press(...keys) {
    const actions = keys.flatMap((value) => [{ type: 'keyDown', value }, { type: 'keyUp', value }]);
    return this.#call('POST', '/actions', { actions: [{ type: 'key', id: 'keyboard', actions }] });
  }

  /** What the page has written to its console since the last call, and what went wrong in it. */
  messages() {
    return this.#call('POST', '/se/log', { type: 'browser' });
  }

  command(cmd, params) {
    return this.#call('POST', '/goog/cdp/execute', { cmd, params });
  }

  colourScheme(scheme) {
    return this.command('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: scheme }] });
  }

  /** A picture of the window, or of an element, as the bytes of a PNG. */
  async picture(selector) {
    const path = selector ? `/element/${await this.find(selector)}/screenshot` : '/screenshot';
    return Buffer.from(await this.#call('GET', path), 'base64');
  }

  async savePicture(file, selector) {
    writeFileSync(file, await this.picture(selector));
  }
}
