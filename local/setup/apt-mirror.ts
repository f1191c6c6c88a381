/** Finds this machine's source of Debian packages, so that the project contains no host name of a mirror. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

const keyring = /debian-archive-keyring/;

/**
 * The address of the Debian archive in apt's configuration.
 * @param directory `/etc/apt`
 * @throws Error when apt has none
 */
export async function mirrorIn(directory: string): Promise<string> {
  const parts = await readdir(join(directory, 'sources.list.d')).catch(() => []);
  const files = ['sources.list', ...parts.sort().map((name) => join('sources.list.d', name))];
  const texts = await Promise.all(
    files.map((file) => readFile(join(directory, file), 'utf8').catch(() => '')),
  );
  const stanzas = texts.flatMap((text) => text.split(/\n\s*\n/)).flatMap(archivesOf);
  const [mirror] = [...stanzas.filter(({ trusted }) => trusted), ...stanzas];
  if (!mirror) throw new Error('apt on this machine has no source for Debian packages.');
  return mirror.address;
}

/** The addresses that end in `/debian`, from a stanza (deb822) or from one-line entries. `trusted`: it names Debian's own keyring. */
function archivesOf(stanza: string): { address: string; trusted: boolean }[] {
  const lines = stanza.split('\n').filter((line) => !line.trim().startsWith('#'));
  const addresses = lines.flatMap((line) => {
    const [, oneLine, deb822] = /^deb\s+(?:\[[^\]]*\]\s+)?(\S+)|^URIs:\s*(\S+)/i.exec(line) ?? [];
    return oneLine ?? deb822 ?? [];
  });
  return addresses
    .filter((address) => /\/debian\/?$/.test(address))
    .map((address) => ({ address, trusted: keyring.test(stanza) }));
}
