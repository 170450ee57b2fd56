// 1,472 tiles and 10,000 steps, all different. What is asserted is work, not time: what is drawn grows with the pixels.
import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { test } from 'node:test';
import { assertQuiet, coloursOf, pageFile, search, show, useBrowser } from './page.mjs';

const browser = useBrowser();
const FILE = 'large.html';

const state = () => browser().run(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => {
  const { drawn, from, to } = document.querySelector('.trace canvas').dataset;
  done({ drawn: Number(drawn), from: Number(from), to: Number(to), width: document.querySelector('.trace').clientWidth });
}))));

const ROWS = 12;

test('the page is a few megabytes', () => {
  assert.ok(statSync(pageFile(FILE)).size < 4e6);
});

test('the trace draws at most two marks a pixel in a row, at every zoom', async () => {
  await browser().open(pageFile(FILE));
  await show(browser(), 'execution');
  await browser().until(() => document.querySelector('.trace canvas')?.dataset.drawn);
  const all = await state();
  assert.ok(all.drawn > 1000 && all.drawn <= 2 * ROWS * all.width, `${all.drawn} marks on ${all.width} pixels`);
  await browser().run(() => document.querySelector('.trace').focus());
  let last = all;
  for (let zoom = 0; zoom < 30; ++zoom) {
    await browser().press('+', '+', '\uE014');
    const now = await state();
    assert.ok(now.drawn <= 2 * ROWS * now.width);
    assert.ok(now.to - now.from <= last.to - last.from);
    last = now;
  }
  assert.ok(last.to - last.from < 1000);
  await browser().press('0');
  assert.deepEqual(await state(), all);
  assert.ok(await coloursOf(browser(), '.trace canvas') > 5);
});

test('dragging zooms to what was dragged over', async () => {
  await browser().open(pageFile(FILE));
  await show(browser(), 'execution');
  await browser().until(() => document.querySelector('.trace canvas')?.dataset.drawn);
  const { to } = await state();
  await browser().dragAt('.trace canvas', 300, 600, 30);
  const now = await state();
  assert.ok(now.from > 0 && now.to < to && now.to > now.from);
});

test('the page puts few elements into the document, whatever the profile has', async () => {
  await browser().open(pageFile(FILE));
  for (const section of ['memory', 'liveness', 'execution', 'vertices']) await show(browser(), section);
  assert.ok(await browser().run(() => document.querySelectorAll('*').length) < 6000);
  await search(browser(), 'layer3');
  assert.ok(await browser().run(() => document.querySelectorAll('*').length) < 6000);
  await assertQuiet(browser());
});

test('no work keeps the page busy for seconds', async () => {
  await browser().open(pageFile(FILE));
  for (const section of ['memory', 'liveness', 'execution', 'vertices']) await show(browser(), section);
  await search(browser(), 'step99');
  const longest = await browser().run(() => new Promise((done) => {
    const lengths = [0];
    new PerformanceObserver((list) => lengths.push(...list.getEntries().map((entry) => entry.duration))).observe({ type: 'longtask', buffered: true });
    setTimeout(() => done(Math.max(...lengths)), 300);
  }));
  assert.ok(longest < 5000, `${longest} ms`); // generous: machines that test are busy
});
