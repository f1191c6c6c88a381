/** Makes a line of program output fit to show: cleaned, masked, at most 8 KB. */
import { failureMessageMax } from '../../protocol/job-report.ts';
import { cleanLine, lastStateAt } from './clean-line.ts';
import type { RawLine } from './line-cutter.ts';
import type { SecretMask } from './secret-mask.ts';

export const lineBytesMax = 8 * 1024;
const cutMark = ' … (line cut at 8 KB)';
/** The limit of examined characters in a line: the rest is cut anyway. */
const lookedAtCharsMax = 64 * 1024;

export const isCutLine = (shown: string): boolean => shown.endsWith(cutMark);

/** Cleans before masking: control characters inside a secret would hide it from the mask. Masks before cutting, for the same reason. */
export function presentable(line: RawLine, mask: SecretMask): string {
  const whole = line.text.slice(lastStateAt(line.text));
  const cut = line.cut || whole.length > lookedAtCharsMax;
  const text = whole.slice(0, lookedAtCharsMax);
  const clean = cleanLine(text);
  const shown = mask.apply(cut ? withoutHalfSecret(clean, mask) : clean);
  const bytes = Buffer.from(shown);
  if (!cut && bytes.length <= lineBytesMax) return shown.toWellFormed();
  const kept = bytes.subarray(0, lineBytesMax - Buffer.byteLength(cutMark)).toString('utf8');
  return `${kept.replace(/\uFFFD+$/, '')}${cutMark}`;
}

const messageCutMark = ' … (cut)';

/** The same for a failure's message, which may have several lines and quotes tools, servers and files of users. */
export function presentableMessage(text: string, mask: SecretMask): string {
  const isLong = text.length > failureMessageMax;
  const head = isLong ? text.slice(0, failureMessageMax + mask.longest) : text;
  const clean = head.split('\n').map(cleanLine).join('\n');
  const shown = mask.apply(isLong ? withoutHalfSecret(clean, mask) : clean);
  if (!isLong && shown.length <= failureMessageMax) return shown.toWellFormed();
  const kept = shown.slice(0, failureMessageMax - messageCutMark.length);
  return `${kept.toWellFormed()}${messageCutMark}`;
}

/** Drops the end of a cut line that may contain the start of a secret, which can't be recognised without its end. */
function withoutHalfSecret(text: string, mask: SecretMask): string {
  const safeEnd = Math.max(0, text.length - mask.longest);
  const across = mask.find(text).find(([start, end]) => start < safeEnd && end > safeEnd);
  return text.slice(0, across ? across[1] : safeEnd);
}
