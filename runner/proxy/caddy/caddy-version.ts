/** Caddys differ: Debian 12 has 2.6.2. https://github.com/caddyserver/caddy/releases */

/** @param version what `caddy version` prints; whether it is 2.8 or later */
export function isCaddy28(version: string): boolean {
  const [, major = '2', minor = '0'] = /^v?(\d+)\.(\d+)/.exec(version) ?? [];
  return Number(major) > 2 || Number(minor) >= 8;
}
