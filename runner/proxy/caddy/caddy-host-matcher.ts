/** Caddy's matcher for Host headers that contain exactly one host name: these become DNS names and directory names. */
import { hostNameLengthMax, hostNamePattern } from '../route-names.ts';

/**
 * @param flags of the pattern: directories only match lower-case names, edge matches names in any case
 * @param port pattern of what may follow the name
 */
export function hostMatcher(flags: '' | '(?i)', port = '(:[0-9]{1,5})?') {
  const pattern = `${flags}^${hostNamePattern}${port}$`;
  const tooLong = { header_regexp: { Host: { pattern: `^.{${hostNameLengthMax},}$` } } };
  return { header_regexp: { Host: { pattern } }, not: [tooLong] };
}
