// What a suite comes to, a line for each thing that has a peer, a limit or a target: `make bench` puts the lines of all
// suites into one table.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * The lines of a suite, kept for the table of all when BENCH_RESULTS names a folder for them.
 *
 * A line has `what` was measured, `unit`, the figure of `ours`, and where there are any, the name of the peer or limit it stands
 * `beside`, its figure `theirs`, their `ratio` (ours by theirs unless `by` says otherwise) and a `target`: `least` or `most` of
 * `ratio` or of `ours`.
 */
export async function keep(suite, lines) {
  if (!process.env.BENCH_RESULTS) return;
  const whole = lines.map((line) => ({ suite, ...line, reached: reached(line) }));
  await writeFile(join(process.env.BENCH_RESULTS, `${suite}.json`), JSON.stringify(whole, null, 2));
}

function reached({ target, ratio, ours }) {
  if (!target) return undefined;
  const figure = target.of === 'ratio' ? ratio : ours;
  return target.least === undefined ? figure <= target.most : figure >= target.least;
}

const digits = (value) => (Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2);
const figure = (value, unit = '') =>
  value === undefined
    ? ''
    : `${value.toLocaleString('en', { maximumFractionDigits: digits(value) })}${unit && ` ${unit}`}`;

function wanted({ target, unit }) {
  if (!target) return '';
  const value = target.least ?? target.most;
  const sign = target.least === undefined ? '≤' : '≥';
  return target.of === 'ratio' ? `${sign} ${figure(value)} ×` : `${sign} ${figure(value, unit)}`;
}

/** The lines as a Markdown table. */
export function markdown(lines) {
  const head = ['suite', 'what', 'ours', 'beside', 'theirs', 'ours by theirs', 'target', ''];
  const rows = lines.map((line) => [
    line.suite,
    line.what,
    figure(line.ours, line.unit),
    line.beside ?? '',
    figure(line.theirs, line.theirs === undefined ? '' : line.unit),
    line.ratio === undefined ? '' : `${figure(line.ratio)} ×`,
    wanted(line),
    line.reached === undefined ? '' : line.reached ? 'reached' : 'missed',
  ]);
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
