/** Runs `nft`, the program that sets and lists the kernel's firewall rules. */
import { execFile } from 'node:child_process';
import { messageOf } from '../base/logger.ts';

/** The rules can't be set or read; the message contains the reason and a solution. */
export class NftError extends Error {
  override readonly name = 'NftError';
  /** True if this kernel does not support the rules. */
  readonly isUnsupported: boolean;
  constructor(sentence: string, options: ErrorOptions & { isUnsupported?: boolean } = {}) {
    super(sentence, options);
    this.isUnsupported = options.isUnsupported ?? false;
  }
}

export interface Nft {
  /** Runs the commands in one transaction: all of them or none. @throws NftError */
  apply(commands: string): Promise<void>;
  /** The rules listed by the commands, in a form that changes only with the rules; `null` if a table is missing. @throws NftError */
  list(commands: string, options: { elements: boolean }): Promise<string | null>;
}

/** A transaction takes milliseconds; another one may hold the kernel's lock. */
const timeoutMs = 10_000;

/** @param program nft, after the command that runs it */
export function createNft(program: readonly string[] = ['nft']): Nft {
  return {
    async apply(commands) {
      await run([...program, '-f', '-'], commands);
    },
    async list(commands, { elements }) {
      try {
        return await run([...program, '--stateless', ...(elements ? [] : ['--terse']), commands]);
      } catch (error) {
        if (error instanceof NftError && /no such file or directory/i.test(error.message)) return null;
        throw error;
      }
    },
  };
}

function run([file = '', ...args]: string[], input = ''): Promise<string> {
  // nft is in /usr/sbin, which is only in root's path.
  const env = { PATH: `${process.env.PATH ?? ''}:/usr/sbin:/sbin`, LC_ALL: 'C' };
  return new Promise((resolve, reject) => {
    const child = execFile(file, args, { env, timeout: timeoutMs }, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else reject(nftError(error, stderr));
    });
    // nft may have ended before it has read everything; its exit code decides.
    child.stdin?.on('error', () => {});
    child.stdin?.end(input);
  });
}

function nftError(cause: NodeJS.ErrnoException | (Error & { killed?: boolean }), stderr: string): NftError {
  if ('code' in cause && cause.code === 'ENOENT') {
    return new NftError(
      'The program nft is not installed: install it with "apt-get install nftables". The runner checks again every minute.',
      { cause },
    );
  }
  if (/not permitted|must be root/i.test(stderr)) {
    return new NftError(
      'The runner may not set firewall rules: run it as root, or with the capability CAP_NET_ADMIN.',
      { cause },
    );
  }
  const reason = stderr.trim().split('\n', 1)[0] || messageOf(cause);
  if (/not supported/i.test(reason)) {
    const sentence = `The kernel lacks a part of nftables (${reason}): use a kernel that has it, such as the distribution's own.`;
    return new NftError(sentence, { cause, isUnsupported: true });
  }
  return new NftError(`nft failed: ${reason}`, { cause });
}
