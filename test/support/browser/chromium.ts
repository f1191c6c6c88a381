/** Chromium of the distribution, unpacked for the tests alone. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium } from 'playwright-core';
import { unpackedLibraries, unpackMissing } from '../unpack-missing.ts';

const tools = fileURLToPath(new URL('../../../.longshore/tools/chromium', import.meta.url));

/** Chromium looks for its data beside its program, and fontconfig for its files where the variables below say. */
const packages = ['chromium', 'chromium-common', 'fontconfig-config', 'fonts-dejavu-core'];

/** A headless browser. Close it. */
export async function startChromium(): Promise<Browser> {
  await unpackMissing(packages, tools);
  const libraries = unpackedLibraries(tools);
  return await chromium.launch({
    executablePath: join(tools, 'usr/lib/chromium/chromium'),
    // Root needs this; the pages are our own.
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'],
    env: {
      ...process.env,
      LD_LIBRARY_PATH: `${libraries}:${libraries.replaceAll(':', '/pulseaudio:')}/pulseaudio`,
      FONTCONFIG_PATH: join(tools, 'etc/fonts'),
      FONTCONFIG_SYSROOT: tools,
    },
  });
}
