// What the tests with a browser share.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before } from 'node:test';
import { Browser } from './driver.mjs';

const FOLDER = process.env.POP_REPORT_PAGES;

export function pageFile(name) {
  return join(FOLDER, name);
}

/** What the profile itself says, written by report-profiles. */
export function expected(name) {
  return JSON.parse(readFileSync(pageFile(`${name}.json`), 'utf8'));
}

/** A browser for all tests of a file; `browser()` gives it. */
export function useBrowser(options = {}) {
  let browser;
  before(async () => {
    browser = await Browser.start({ chromium: process.env.POP_CHROMIUM, chromedriver: process.env.POP_CHROMEDRIVER, ...options });
  });
  after(() => browser?.close());
  return () => browser;
}

/** Fails if the page wrote to its console, broke its own policy or threw. */
export async function assertQuiet(browser) {
  assert.deepEqual((await browser.messages()).map((entry) => entry.message), []);
}

/** Brings a section into view, so that its charts are drawn. */
export async function show(browser, id) {
  await browser.run((section) => document.getElementById(section).scrollIntoView(), id);
  await browser.until((section) => {
    const canvases = [...document.querySelectorAll(`#${section} .chart, #${section} .trace`)];
    return canvases.every((box) => box.querySelector('canvas'));
  }, id);
  await browser.run(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
}

/** The texts of a table, by rows, chosen by its caption. */
export function tableRows(browser, section, caption) {
  return browser.run((s, wanted) => {
    const table = [...document.querySelectorAll(`#${s} table`)].find((t) => t.caption.textContent.startsWith(wanted));
    return table && [...table.tBodies[0].rows].map((row) => [...row.cells].map((cell) => cell.textContent));
  }, section, caption);
}

/** Clicks the header of a column. */
export function clickHeader(browser, section, caption, title) {
  return browser.run((s, wanted, head) => {
    const table = [...document.querySelectorAll(`#${s} table`)].find((t) => t.caption.textContent.startsWith(wanted));
    const cell = [...table.tHead.rows[0].cells].find((c) => c.textContent === head);
    cell.querySelector('button').click();
    return cell.getAttribute('aria-sort');
  }, section, caption, title);
}

export async function search(browser, text) {
  await browser.run((value) => {
    const input = document.querySelector('#search');
    input.value = value;
    input.dispatchEvent(new Event('input'));
  }, text);
  await browser.run(() => new Promise((done) => setTimeout(done, 250)));
}

/** How many different colours a canvas shows. */
export function coloursOf(browser, selector) {
  return browser.run((s) => {
    const canvas = document.querySelector(s);
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    const colours = new Set();
    for (let at = 0; at < data.length; at += 4 * 7) if (data[at + 3]) colours.add(`${data[at]},${data[at + 1]},${data[at + 2]}`);
    return colours.size;
  }, selector);
}

export function numberOf(text) {
  return Number(text.replaceAll(',', ''));
}
