/** Keeps the logs of one instance's containers until it is killed: `node log-keeper-program.ts <instance> <directory>`. */
import { systemClock } from '../../../runner/base/clock.ts';
import { createLogger } from '../../../runner/base/logger.ts';
import { connectDocker } from '../../../runner/docker/client.ts';
import { ExitHistory, watchContainers } from '../../../runner/docker/events.ts';
import { startHostLogs } from '../../../runner/host/keep-logs.ts';

const [instance = '', dataDirectory = ''] = process.argv.slice(2);
const docker = connectDocker(instance);
const exits = new ExitHistory();
const logs = startHostLogs({
  ...{ docker, dataDirectory, exits, clock: systemClock, logger: createLogger() },
  config: { keptLogMb: 100, keptLogTotalMb: null, keptLogDays: 30, allowPrivate: [] },
  openRequest: () => '',
});
const end = new AbortController();
process.once('SIGTERM', () => {
  end.abort();
  void logs.stop();
  const { user, system } = process.cpuUsage();
  process.stdout.write(
    JSON.stringify({ cpuMs: (user + system) / 1000, rssMb: process.memoryUsage().rss / 2 ** 20 }),
  );
  process.exit(0);
});
await watchContainers(docker, exits, () => logs.changed(), end.signal);
