/** Chromium of the distribution, unpacked only for the tests. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium } from 'playwright-core';
import { unpackedLibraries, unpackMissing } from '../unpack-missing.ts';

const tools = fileURLToPath(new URL('../../../.longshore/tools/chromium', import.meta.url));

/** Chromium expects its data next to its program; fontconfig finds its files through the variables below. */
const packages = ['chromium', 'chromium-common', 'fontconfig-config', 'fonts-dejavu-core'];

let shared: Promise<Browser> | undefined;
/** One browser for all files of this process, which ends with the process. Close its contexts. */
export function sharedChromium(): Promise<Browser> {
  shared ??= startChromium();
  return shared;
}

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
