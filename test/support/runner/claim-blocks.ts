/**
 * An enrolment of the machine's ports: `node claim-blocks.ts <data directory> <url>`.
 * Its blocks are of the test's own, because those of this machine may all be in use. It keeps the list locked for a moment, as a
 * registration does.
 */
import { withPortBlocks } from '../../../runner/host/port-blocks.ts';
import { runnerConfigSchema } from '../../../runner/setup/config.ts';
import { writeConfig } from '../../../runner/setup/config-file.ts';

const [, , dataDirectory = '', url = ''] = process.argv;
const layout = { size: 10, web: [20_410, 20_420], databases: [20_430, 20_440] };
const registrationMs = 300;

await withPortBlocks(
  dataDirectory,
  async (blocks) => {
    await new Promise((resolve) => setTimeout(resolve, registrationMs));
    const settings = { url, runnerId: 'run_cccccccccccccccc', name: 'test', httpPort: 80, httpsPort: 443 };
    const config = { ...settings, ...blocks, caddyPath: 'caddy', allowPrivate: [] };
    writeConfig(dataDirectory, runnerConfigSchema.parse(config));
  },
  layout,
);
