/** How long the phases of a deployment took, as the lines that its host writes at the end of each tell: `build: done in 12.3 s`. */

interface SaidLine {
  stream: string;
  line: string;
}

const phaseEnd = /^([a-z]+): (?:done in|ended after) (\d+\.\d) s$/;

/** @returns seconds by phase, in the order of the log */
export function phaseTimes(lines: Iterable<SaidLine>): Map<string, number> {
  const times = new Map<string, number>();
  for (const { stream, line } of lines) {
    const [, phase, seconds] = (stream === 'system' && phaseEnd.exec(line)) || [];
    if (phase !== undefined) times.set(phase, Number(seconds));
  }
  return times;
}
