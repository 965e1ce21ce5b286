// What is asked of every page: no finding of axe, nothing wider than the window.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '../harness.mjs';

const axe = readFileSync(path.join(root, 'node_modules/axe-core/axe.min.js'), 'utf8');
export const overflow = (page) =>
  page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);

/** Loads an address once per width and looks at it in both themes. `ready` says when there is something to look at. */
export async function inspect(page, url, ready = async () => {}) {
  // Colours fade from one theme to the other, and halfway they are neither.
  await page.emulateMedia({ reducedMotion: 'reduce' });
  for (const width of [390, 1280]) {
    await page.setViewportSize({ width, height: 844 });
    await page.goto(url);
    await page.getByRole('heading', { level: 1 }).first().waitFor();
    await ready(page);
    await page.waitForLoadState('networkidle');
    await page.evaluate(axe);
    for (const theme of ['light', 'dark']) {
      const name = `${new URL(url).pathname}${new URL(url).search} (${theme}, ${width})`;
      if (theme === 'dark') await page.getByRole('button', { name: 'Switch to dark theme' }).first().click();
      await page.waitForFunction(
        (dark) => document.documentElement.classList.contains('dark') === dark,
        theme === 'dark',
      );
      // Even without a fade the colours of a theme take a frame to be there.
      await page.evaluate(async () => {
        for (let frame = 0; frame < 3; frame++) await new Promise(requestAnimationFrame);
      });
      const found = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ['violations'] }));
      assert.deepEqual(
        found.violations.map(
          ({ id, nodes }) => `${id}: ${nodes.map((node) => node.target.join(' ')).slice(0, 3)}`,
        ),
        [],
        name,
      );
      assert.ok((await overflow(page)) <= 0, `${name} is too wide`);
    }
  }
}
