// Pages of profiles that programs made on the IPU Model.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertQuiet, clickHeader, coloursOf, expected, numberOf, pageFile, search, show, tableRows, useBrowser } from './page.mjs';

const browser = useBrowser();
const text = (selector) => browser().run((s) => document.querySelector(s).textContent, selector);

for (const name of ['matmul', 'conv']) {
  test(`the page of ${name} loads without a word on the console, and has all views`, async () => {
    await browser().open(pageFile(`${name}.html`));
    const sections = await browser().run(() => [...document.querySelectorAll('section')].map((section) => section.id));
    assert.deepEqual(sections, ['summary', 'memory', 'liveness', 'execution', 'vertices', 'plans']);
    for (const section of sections) await show(browser(), section);
    await assertQuiet(browser());
  });

  test(`the fullest tile of ${name} is the one that the profile names`, async () => {
    await browser().open(pageFile(`${name}.html`));
    const { peakTile, peakBytes, tiles } = expected(name);
    const data = await browser().run(() => ({ ...document.querySelector('#memory .peak').dataset }));
    assert.deepEqual([Number(data.tile), Number(data.bytes)], [peakTile, peakBytes]);
    assert.match(await text('#memory .peak'), new RegExp(`^Peak: tile ${peakTile} with ${peakBytes.toLocaleString('en')} B`));
    const rows = await tableRows(browser(), 'memory', 'Tiles');
    assert.equal(numberOf(rows[0][1]), peakBytes);
    await show(browser(), 'memory');
    assert.ok(await coloursOf(browser(), '#memory canvas') > 3, `${tiles} tiles are drawn`);
  });

  test(`the plan of ${name} is shown`, async () => {
    await browser().open(pageFile(`${name}.html`));
    const [[operation, plan]] = await tableRows(browser(), 'plans', 'Plans');
    assert.ok(operation.length > 0);
    assert.match(plan, /plan: tiles method=.*predicted: \d+ cycles/s);
  });

  test(`cycles and compute sets of ${name} are those of the profile`, async () => {
    await browser().open(pageFile(`${name}.html`));
    const { cycles, vertices, computeSetNames } = expected(name);
    const facts = await text('#summary');
    assert.ok(facts.includes(`${cycles.toLocaleString('en')} cycles`), facts);
    assert.ok(facts.includes(`vertices${vertices.toLocaleString('en')}`), facts);
    const shown = (await tableRows(browser(), 'vertices', 'Compute sets')).map((row) => row[0]);
    assert.deepEqual(shown.sort(), computeSetNames.slice(0, 25).sort());
    await show(browser(), 'execution');
    const to = await browser().run(() => Number(document.querySelector('.trace canvas').dataset.to));
    assert.equal(to, cycles);
  });
}

test('a click on a step shows the variables alive, largest first', async () => {
  await browser().open(pageFile('matmul.html'));
  const { livePeakStep, livePeakBytes, alive } = expected('matmul');
  await show(browser(), 'liveness');
  const data = await browser().run(() => ({ ...document.querySelector('#liveness .peak').dataset }));
  assert.deepEqual([Number(data.step), Number(data.bytes)], [livePeakStep, livePeakBytes]);
  const { width, count } = await browser().run(() => ({
    width: document.querySelector('#liveness .u-over').clientWidth,
    count: document.querySelectorAll('#liveness .detail tr').length,
  }));
  assert.ok(count > 0);
  const { livenessSteps } = expected('matmul');
  // Another step first, then back to the peak.
  for (const step of [livePeakStep === 0 ? livenessSteps - 1 : 0, livePeakStep]) {
    await browser().clickAt('#liveness .u-over', (width * (step + 0.5)) / livenessSteps, 40);
    assert.match(await text('#liveness .detail h4'), new RegExp(`^Step ${step}:`));
  }
  const rows = await tableRows(browser(), 'liveness', 'Variables alive');
  assert.deepEqual(rows.map((row) => [row[0], numberOf(row[1])]), alive.slice(0, 25));
  const bytes = rows.map((row) => numberOf(row[1]));
  assert.deepEqual(bytes, [...bytes].sort((a, b) => b - a));
});

test('headers sort, once more the other way', async () => {
  await browser().open(pageFile('matmul.html'));
  for (const [title, isNumber] of [['Vertices', true], ['Compute set', false]]) {
    const column = isNumber ? 1 : 0;
    const values = async () => (await tableRows(browser(), 'vertices', 'Compute sets')).map((row) => (isNumber ? numberOf(row[column]) : row[column]));
    const inOrder = (all) => [...all].sort((a, b) => (isNumber ? a - b : a.localeCompare(b)));
    assert.equal(await clickHeader(browser(), 'vertices', 'Compute sets', title), isNumber ? 'descending' : 'ascending');
    assert.deepEqual(isNumber ? (await values()).reverse() : await values(), inOrder(await values()));
    assert.equal(await clickHeader(browser(), 'vertices', 'Compute sets', title), isNumber ? 'ascending' : 'descending');
    assert.deepEqual(isNumber ? await values() : (await values()).reverse(), inOrder(await values()));
  }
});

test('the search filters every view', async () => {
  await browser().open(pageFile('matmul.html'));
  for (const section of ['memory', 'liveness', 'execution']) await show(browser(), section);
  const [wanted] = expected('matmul').computeSetNames;
  const before = await tableRows(browser(), 'vertices', 'Compute sets');
  await search(browser(), wanted.toUpperCase());
  for (const [section, caption] of [['vertices', 'Compute sets'], ['execution', 'Steps of']]) {
    const rows = await tableRows(browser(), section, caption);
    assert.ok(rows.length > 0);
    assert.ok(rows.every((row) => row[0].includes(wanted)));
  }
  assert.match(await text('#found'), /^[1-9][0-9]* found$/);
  await search(browser(), 'nothing is called like this');
  assert.equal(await text('#found'), '0 found');
  for (const [section, caption] of [['memory', 'Variables'], ['liveness', 'Variables alive'], ['execution', 'Steps of'], ['vertices', 'Compute sets'], ['vertices', 'Vertex types']])
    assert.deepEqual(await tableRows(browser(), section, caption), [], caption);
  await search(browser(), '');
  assert.deepEqual(await tableRows(browser(), 'vertices', 'Compute sets'), before);
  await assertQuiet(browser());
});

test('the keyboard does what the mouse does', async () => {
  await browser().open(pageFile('matmul.html'));
  await show(browser(), 'memory');
  await browser().run(() => document.querySelector('#memory .chart').focus());
  const [HOME, RIGHT, ENTER] = ['\uE011', '\uE014', '\uE007'];
  await browser().press(HOME, RIGHT, RIGHT, ENTER);
  assert.match(await text('#memory .detail h4'), /^Tile 2:/);
  await browser().press('+');
  await show(browser(), 'execution');
  await browser().run(() => document.querySelector('.trace').focus());
  const view = () => browser().run(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(document.querySelector('.trace canvas').dataset.from)))));
  const start = await view();
  await browser().press('+', '+', RIGHT);
  assert.notEqual(await view(), start);
  await browser().press('0', '>', '>');
  assert.ok((await text('#execution .detail h4')).length > 3);
  await browser().run(() => document.activeElement.blur());
  await browser().press('/');
  assert.equal(await browser().run(() => document.activeElement.id), 'search');
});

test('light and dark are the choice of the system', async () => {
  await browser().open(pageFile('matmul.html'));
  const background = () => browser().run(() => getComputedStyle(document.body).backgroundColor);
  await browser().colourScheme('light');
  const light = await background();
  await browser().colourScheme('dark');
  assert.notEqual(await background(), light);
  await show(browser(), 'execution');
  assert.ok(await coloursOf(browser(), '.trace canvas') > 3);
  await browser().colourScheme('light');
});

test('steps are listed where their order was not recorded', async () => {
  await browser().open(pageFile('unordered.html'));
  assert.match(await text('#execution'), /debug\.instrument/);
  assert.equal((await tableRows(browser(), 'execution', 'Steps of')).length, 10);
  assert.equal(await browser().run(() => document.querySelectorAll('.trace').length), 0);
  await assertQuiet(browser());
});

test('nothing comes from elsewhere', async () => {
  await browser().open(pageFile('matmul.html'));
  assert.deepEqual(await browser().run(() => performance.getEntriesByType('resource').map((entry) => entry.name)), []);
  assert.ok((await text('footer')).includes('Permission is hereby granted, free of charge'));
});
