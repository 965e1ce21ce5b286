// CPU time and memory of processes, from Linux's /proc.
import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';

const TICKS = Number(execFileSync('getconf', ['CLK_TCK']));

/** utime, stime, and the same of children that ended, in seconds. */
function times(pid) {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1).split(' ');
    return fields.slice(11, 15).map((ticks) => Number(ticks) / TICKS);
  } catch {
    return [0, 0, 0, 0]; // It ended meanwhile.
  }
}

const children = (pid) =>
  readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean),
  );

/** CPU seconds that a process and its children, ended or not, have used. */
export function cpuSeconds(pid) {
  const own = times(pid).reduce((sum, each) => sum + each, 0);
  return children(pid).reduce((sum, child) => sum + times(child)[0] + times(child)[1], own);
}

/** Resident memory in MB. */
export function residentMb(pid) {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)[1]) / 1024;
}
