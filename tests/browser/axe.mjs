// What is asked of every page: no finding of axe, nothing wider than the window.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '../harness.mjs';

const axe = readFileSync(path.join(root, 'node_modules/axe-core/axe.min.js'), 'utf8');
export const overflow = (page) =>
  page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);

/** What a theme can change. All else that axe looks for is the same in both, and is looked for once per width. */
const COLOURS = { runOnly: { type: 'rule', values: ['color-contrast', 'link-in-text-block'] } };

async function look(page, name, rules = {}) {
  const found = await page.evaluate(
    (options) => globalThis.axe.run(document, { resultTypes: ['violations'], ...options }),
    rules,
  );
  assert.deepEqual(
    found.violations.map(
      ({ id, nodes }) => `${id}: ${nodes.map((node) => node.target.join(' ')).slice(0, 3)}`,
    ),
    [],
    name,
  );
}

/** As the button does it, which a dialog may cover. Waits until every colour is that of the theme. */
async function turn(page, isDark) {
  await page.evaluate(async (dark) => {
    const frames = async (count) => {
      for (let frame = 0; frame < count; frame++) await new Promise(requestAnimationFrame);
    };
    document.documentElement.classList.toggle('dark', dark);
    await frames(3);
    // A fade of what is not painted may never end, and is no colour that anybody sees.
    const fades = () => document.getAnimations().some((each) => each instanceof CSSTransition);
    for (let patience = 60; fades() && patience > 0; patience--) await frames(1);
  }, isDark);
}

/**
 * Loads an address and looks at it narrow and wide, in both themes.
 *
 * `ready` brings the page to what there is to look at, at each width.
 */
export async function inspect(page, url, ready = async () => {}, widths = [390, 1280]) {
  // Colours fade from one theme to the other, and halfway they are neither.
  await page.emulateMedia({ reducedMotion: 'reduce' });
  const { pathname, search } = new URL(url);
  await page.setViewportSize({ width: widths[0], height: 844 });
  await page.goto(url);
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  await ready(page, widths[0]);
  await page.waitForLoadState('networkidle');
  await page.evaluate(axe);
  for (const width of widths) {
    const at = (theme) => `${pathname}${search} (${theme}, ${width})`;
    if (width !== widths[0]) {
      await page.setViewportSize({ width, height: 844 });
      await ready(page, width);
    }
    await turn(page, false);
    await look(page, at('light'));
    assert.ok((await overflow(page)) <= 0, `${at('light')} is too wide`);
    await turn(page, true);
    await look(page, at('dark'), COLOURS);
  }
}
