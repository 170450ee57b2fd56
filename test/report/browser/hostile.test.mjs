// Names come from programs, and may be anything.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertQuiet, expected, pageFile, show, tableRows, useBrowser } from './page.mjs';

const browser = useBrowser();
const SECTIONS = ['summary', 'memory', 'liveness', 'execution', 'vertices'];

async function assertUnharmed() {
  for (const section of SECTIONS) await show(browser(), section);
  await assertQuiet(browser());
  const found = await browser().run(() => ({
    title: document.title,
    images: document.images.length,
    scripts: document.querySelectorAll('script:not(.report)').length,
  }));
  assert.equal(found.images, 0);
  assert.equal(found.scripts, 1);
  assert.ok(found.title.endsWith('– profile'), found.title);
}

test('markup in every text of a profile is shown as text', async () => {
  await browser().open(pageFile('hostile.html'));
  await assertUnharmed();
  const name = '</script><script>document.title=\'owned\'</script><img src=x onerror="document.title=\'owned\'">' +
    '<!--<script>\' " & \u2028 \\u003c {{x}} \u0001';
  for (const [section, caption] of [['vertices', 'Compute sets'], ['vertices', 'Vertex types'], ['memory', 'Variables'], ['execution', 'Steps of']])
    assert.equal((await tableRows(browser(), section, caption))[0][0], name, caption);
  assert.equal((await tableRows(browser(), 'plans', 'Plans'))[0][1], name);
});

test('markup in names of a program is shown as text', async () => {
  await browser().open(pageFile('names.html'));
  await assertUnharmed();
  const { computeSetNames } = expected('names');
  assert.ok(computeSetNames.some((name) => name.includes('</script>')));
  assert.deepEqual((await tableRows(browser(), 'vertices', 'Compute sets')).map((row) => row[0]).sort(), computeSetNames.sort());
});

test('a profile of nothing makes a page, too', async () => {
  await browser().open(pageFile('empty.html'));
  await assertQuiet(browser());
  assert.ok((await browser().run(() => document.querySelector('#execution').textContent)).includes('has no execution'));
});
