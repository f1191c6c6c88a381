/** Caddy's matcher for Host headers that hold a host name and nothing else. They become DNS names and directory names. */
import { hostNameLengthMax, hostNamePattern } from '../route-names.ts';

/**
 * @param flags of the pattern: a directory is found by the lower-case name alone, edge knows names in any case
 * @param port pattern of what may follow the name
 */
export function hostMatcher(flags: '' | '(?i)', port = '(:[0-9]{1,5})?') {
  const pattern = `${flags}^${hostNamePattern}${port}$`;
  const tooLong = { header_regexp: { Host: { pattern: `^.{${hostNameLengthMax},}$` } } };
  return { header_regexp: { Host: { pattern } }, not: [tooLong] };
}
