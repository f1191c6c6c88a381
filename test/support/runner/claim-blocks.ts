/**
 * Reserves port blocks like an enrolment: `node claim-blocks.ts <data directory> <url>`.
 * Its blocks are the test's own, because those of this machine may all be in use. They are above 61,000, where no other program looks for a
 * port: outgoing connections, edge and the servers of other tests use lower ports. It keeps the list locked for a moment, as a
 * registration does.
 */
import { withPortBlocks } from '../../../runner/host/port-blocks.ts';
import { runnerConfigSchema } from '../../../runner/setup/config.ts';
import { writeConfig } from '../../../runner/setup/config-file.ts';

const [, , dataDirectory = '', url = ''] = process.argv;
const layout = { size: 10, web: [63_410, 63_420], databases: [63_430, 63_440] };
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
