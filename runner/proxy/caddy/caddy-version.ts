/** Differences between Caddy versions: Debian 12 has 2.6.2. https://github.com/caddyserver/caddy/releases */

/** True for 2.8 and later. @param version the output of `caddy version` */
export function isCaddy28(version: string): boolean {
  const [, major = '2', minor = '0'] = /^v?(\d+)\.(\d+)/.exec(version) ?? [];
  return Number(major) > 2 || Number(minor) >= 8;
}
