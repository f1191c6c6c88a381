/**
 * Failed downloads in a build: a package manager, compiler or script could not reach a server. They come before the rules of container
 * registries, which print similar words, and of package managers, which then say that there is no such package.
 */
import { deployAgain, shellWord } from './commands.ts';
import type { Failure, FailureRule } from './failure.ts';
import { either, filesThere } from './files-there.ts';

const codes = ['build_failed'] as const;

/** Docker's own requests: the image of a step, and not what a step downloads. */
const ofRegistry =
  /registry of \S+ cannot be reached|failed to (?:do request|authorize|fetch (?:anonymous|oauth) token)|"https:\/\/[^/"]+\/v2\/(?:"|[^"]*\/(?:manifests|blobs)\/)/;

/** A program that tries again has not failed yet. */
const retry = /^WARNING: Retrying|spurious network error|[Ww]ill retry|[Rr]etrying/;

const unreachable = '(?:ENOTFOUND|EAI_AGAIN|ETIMEDOUT|ECONNRESET|ECONNREFUSED|ERR_SOCKET_TIMEOUT)';
const unknownName =
  '(?:Name or service not known|Temporary failure in name resolution|No such host is known|nodename nor servname provided)';

/** What each tool prints when it gives up. */
const words = [
  // npm, pnpm, Yarn 1, Yarn 2 and later, Bun
  `npm (?:error|ERR!) (?:code |errno )?${unreachable}|errno: '${unreachable}`,
  String.raw`ERR_PNPM_\w*FETCH\w*.*${unreachable}`,
  String.raw`error (?:Error: |An unexpected error occurred: "https?:\S+ )(?:getaddrinfo|connect|read|network)\b.*|YN0001: .*${unreachable}`,
  String.raw`error: \w+ downloading (?:package manifest|tarball) `,
  // pip, uv, Poetry, PDM and Hatch
  'Failed to establish a new connection|NameResolutionError|ReadTimeoutError|ConnectTimeoutError',
  String.raw`error: (?:Failed to fetch|Request failed after)|dns error: failed to lookup address|All attempts to connect to \S+ failed|(?:httpcore|httpx)\.Connect(?:Error|Timeout)`,
  // RubyGems and Bundler
  String.raw`Could not reach host \S+\. Check your network|Could not fetch specs from|Unable to download data from https?:|Network error while fetching https?:|Failed to open TCP connection to [\w-]+(?:\.[\w-]+)+:(?:80|443)\b`,
  // Composer
  String.raw`curl error \d+ while downloading|could not be downloaded.*php_network_getaddresses`,
  // Go, with its proxy and without
  String.raw`(?:Get|Head|Post) "https?:\/\/[^"]+": (?:dial tcp|proxyconnect|read tcp|EOF|context deadline|net\/http: TLS|tls:|x509)|dial tcp: lookup [\w-]+(?:\.[\w-]+)+.*(?:no such host|server misbehaving|i\/o timeout)`,
  String.raw`fatal: unable to access 'https?:\/\/[^']+': (?:Could not resolve host|Failed to connect|Connection timed out)`,
  // Cargo
  String.raw`\[(?:6|7|28)\] (?:Could(?:n't| not) (?:resolve|connect)|Timeout)`,
  // Maven, Gradle and its wrapper
  String.raw`Could not transfer (?:artifact|metadata) .*(?:${unknownName}|Unknown host|Connection refused|timed out|Network is unreachable|Connection reset|Connect to \S+ failed|transfer failed for (?!.*(?:status|40[13])))`,
  String.raw`(?:^|[> (])[\w-]+(?:\.[\w-]+)+: ${unknownName}|^\s*> [\w-]+(?:\.[\w-]+)+$|UnknownHostException: [\w-]+(?:\.[\w-]+)+|> Connect to \S+.* failed`,
  // .NET, Mix, Deno
  String.raw`${unknownName} \([\w.-]+:\d+\)|\{:failed_connect, |error sending request for url \(https?:`,
  // curl, wget, fonts of Next.js
  String.raw`curl: \((?:6|7|28|35)\)|wget: unable to resolve host|Failed to fetch font`,
];
const failed = new RegExp(words.join('|'));
/** pip retries, and then says that the package has no version at all. */
const noVersionAtAll = /\(from versions: none\)/;

const lineOfFailure = (failure: Failure) => failure.lines.find((line) => failed.test(line));

/** The server that the line names. */
const hostIn = (line: string): string | undefined =>
  /https?:\/\/(?:[^@/\s]*@)?(?<url>[\w-]+(?:\.[\w-]+)+)/.exec(line)?.groups?.url ??
  /(?:ENOTFOUND|EAI_AGAIN|lookup|resolve(?: host)?:?|host name|reach host|connection to|Exception:|>|\() ?'?\(?(?<name>[\w-]+(?:\.[\w-]+)*\.[a-z]{2,})\b/.exec(
    line,
  )?.groups?.name;

export const downloadRules: readonly FailureRule[] = [
  {
    id: 'download-failed',
    codes,
    says: new RegExp(`^(?!.*(?:${retry.source})).*(?:${failed.source})|${noVersionAtAll.source}`),
    fits: ({ line }, failure) =>
      !ofRegistry.test(line) && (!noVersionAtAll.test(line) || lineOfFailure(failure) !== undefined),
    explain: ({ line }, failure) => {
      const said = noVersionAtAll.test(line) ? (lineOfFailure(failure) ?? line).trim().slice(0, 300) : line;
      const host = hostIn(said) ?? failure.lines.map(hostIn).find((name) => name !== undefined);
      return {
        summary: host ? `The build could not download from ${host}.` : 'A download during the build failed.',
        likelyCause: `"${said}". The server is down or slow, its name is mistyped, or builds on this host have no DNS or no network access.`,
        suggestedFix: `Deploy again. If it fails again, test the address from the host, and check the registry in ${either(filesThere(failure, ['.npmrc', 'pip.conf'])) || 'the settings of the package manager'}.`,
        steps: [`getent hosts ${shellWord(host ?? 'example.com')}`, deployAgain],
      };
    },
  },
];
