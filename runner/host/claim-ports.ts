/** Reserves the ports of this host's services, against other programs and other runners of this machine. */
import type { RunnerConfig } from '../setup/config.ts';
import { portsOf, reservePorts } from '../setup/reserved-ports.ts';
import { enterPortBlocks } from './port-blocks.ts';

/** @param report gets a message about ports that could not be reserved */
export async function claimPorts(
  config: RunnerConfig,
  dataDirectory: string,
  report: (sentence: string) => void,
): Promise<void> {
  if (!(await reservePorts(portsOf(config)))) {
    report(
      'The ports of the services could not be reserved (ip_local_reserved_ports): run the runner as root.',
    );
  }
  for (const sentence of await enterPortBlocks(dataDirectory, config)) report(sentence);
}
