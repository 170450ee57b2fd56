// Builds the page that poplar-report fills: one file with script, style and licences inside.
//   node build.mjs MODULES OUT.html      MODULES: the folder node_modules that `npm ci` made from package-lock.json
// The same lock file gives the same bytes: esbuild is pinned there, and nothing here looks at time or paths.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const read = (...parts) => readFileSync(join(...parts), 'utf8');

function bundle(esbuild, modules, entry) {
  const result = esbuild.buildSync({
    entryPoints: [join(here, 'src', entry)],
    absWorkingDir: here,
    nodePaths: [modules],
    bundle: true,
    minify: true,
    write: false,
    format: 'iife',
    target: 'es2022',
    charset: 'utf8',
    legalComments: 'none', // the whole licence is in the page
  });
  return result.outputFiles[0].text.trim();
}

function hashOf(text) {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

/** Fails when an inlined text would end its element. */
function checked(text, end) {
  if (text.toLowerCase().includes(end)) throw new Error(`an inlined file contains ${end}`);
  return text;
}

function noticeOf(modules) {
  const { version } = JSON.parse(read(modules, 'uplot', 'package.json'));
  const text = `This page contains uPlot ${version}:\n\n${read(modules, 'uplot', 'LICENSE').trim()}`;
  return checked(text, '--').replaceAll('<', '&lt;');
}

function build(modules) {
  const esbuild = createRequire(join(modules, 'x.js'))('esbuild');
  const script = checked(bundle(esbuild, modules, 'main.js'), '</script');
  const style = checked(bundle(esbuild, modules, 'style.css'), '</style');
  const fills = {
    // Nothing is loaded from anywhere, and no script but ours runs, whatever a profile says.
    POLICY: `default-src 'none'; script-src ${hashOf(script)}; style-src ${hashOf(style)}; base-uri 'none'; form-action 'none'`,
    NOTICE: noticeOf(modules),
    STYLE: style,
    SCRIPT: script,
    DATA: '<!--report-data-->',
  };
  return read(here, 'src', 'page.html').replace(/@([A-Z]+)@/g, (_, name) => fills[name]);
}

const [modules, out] = process.argv.slice(2);
if (!modules || !out) {
  console.error('usage: node build.mjs MODULES OUT.html');
  process.exit(2);
}
writeFileSync(out, build(resolve(modules)));
