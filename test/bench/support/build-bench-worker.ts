/** Builds a Worker of the benches' own with wrangler, for `ensureWorkerBundle`. */
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runCommand } from '../../../local/setup/command.ts';

const timeoutMs = 120_000;

/** @param entry path of the module, from the project's root; its objects have the classes that wrangler.toml names */
export function buildBenchWorker(entry: string) {
  return async (projectRoot: string, directory: string): Promise<void> => {
    const options = { timeoutMs, cwd: projectRoot, env: { ...process.env, WRANGLER_SEND_METRICS: 'false' } };
    const wrangler = join(projectRoot, 'node_modules/wrangler/bin/wrangler.js');
    const reader = join(projectRoot, 'local/worker-bundle/read-wrangler-config.ts');
    await runCommand(
      process.execPath,
      [wrangler, 'deploy', entry, '--dry-run', '--minify=false', '--outdir', directory],
      options,
    );
    const config = await runCommand(process.execPath, [reader, join(projectRoot, 'wrangler.toml')], options);
    await writeFile(join(directory, 'config.json'), config);
    const built = entry.slice(entry.lastIndexOf('/') + 1).replace(/\.ts$/, '.js');
    await rename(join(directory, built), join(directory, 'index.js'));
  };
}
