/** Proposes an image for an upgrade. It may not exist; a trial upgrade shows it. */

/** The number of the major version, in a tag such as `17.5-alpine`, or `2.19-pg17` of TimescaleDB. */
const plainTag = /^(.*:v?)(\d+)(?:\.\d+)*((?:-[a-z]\w*)?)$/;
const timescaleTag = /^(.*:.*\bpg)(\d+)(.*)$/;

/** @returns undefined if the next version is unknown: ClickHouse numbers its releases by year and month */
export function nextVersion(engine: string, image: string): string | undefined {
  if (engine === 'clickhouse' || image.includes('@')) return undefined;
  const [, before, major, after] = (engine === 'timescale' ? timescaleTag : plainTag).exec(image) ?? [];
  return major === undefined ? undefined : `${before}${Number(major) + 1}${after}`;
}
