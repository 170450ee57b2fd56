// node pictures.mjs FOLDER PAGE.html NAME SECTION...: pictures of the sections of a page, as docs/viewer.md shows them:
// FOLDER/NAME-SECTION.png. Keep an eye on their size: `ls -l`.
import { Browser } from './driver.mjs';
import { show } from './page.mjs';

const [folder, page, name, ...sections] = process.argv.slice(2);
const browser = await Browser.start({
  chromium: process.env.POP_CHROMIUM ?? '/usr/bin/chromium',
  chromedriver: process.env.POP_CHROMEDRIVER ?? 'chromedriver',
  width: name === 'both' ? 1500 : 1180,
  height: 840,
});
try {
  await browser.open(page);
  for (const section of sections) {
    await show(browser, section);
    await new Promise((done) => setTimeout(done, 300));
    await browser.savePicture(`${folder}/${name}-${section}.png`);
  }
} finally {
  await browser.close();
}
