/** The app started and then exited: the cause is in its own last log lines. */
import {
  changeSetting,
  deployAgain,
  referToDatabase,
  searchFiles,
  setVariable,
  shellWord,
  showService,
  showSuggestions,
} from './commands.ts';
import { type FailureRule, subjectOf } from './failure.ts';
import { changeVersion, isFromAnalyzer } from './project-tools.ts';
import { submit } from './source-words.ts';

/** The release step of a Procfile runs the app's code before the new version starts; its failures have the code `start_failed`. */
const codes = ['health_failed', 'start_failed'] as const;
/** A port above 1023, for apps that run as an ordinary user (ip_unprivileged_port_start). */
const unprivilegedPort = 8080;

export const crashRules: readonly FailureRule[] = [
  {
    id: 'missing-variable',
    codes: [...codes, 'build_failed'],
    says: /Environment variable not found: (?<prisma>[A-Z_][A-Z0-9_]*)|[Mm]issing env(?:ironment)? variables?:? (?<plain>[A-Z][A-Z0-9_]{2,})\b|^\s+(?<listed>[A-Z][A-Z0-9_]{2,}): (?:Missing value|Required\b)|KeyError: '(?<python>[A-Z_][A-Z0-9_]*)'|(?:[Mm]issing|[Uu]ndefined|[Rr]equired)(?: required)?(?: env(?:ironment)?)?(?: variables?)?:? ["'`]?(?<named>[A-Z][A-Z0-9]*_[A-Z0-9_]+)|(?<![A-Z0-9_])(?<set>[A-Z][A-Z0-9]*_[A-Z0-9_]+)["'`]? (?:environment variable )?(?:is not (?:set|defined)|is required|must be set|is missing|must not be empty|setting must not be empty|not found in environment|is undefined)|Missing `(?<rails>secret_key_base)`/,
    explain: ({ groups, line }, failure) => {
      const found =
        groups.prisma || groups.plain || groups.listed || groups.python || groups.named || groups.set || '';
      const key = groups.rails ? 'SECRET_KEY_BASE' : found;
      return {
        summary: `The variable ${key} is not set.`,
        likelyCause: `"${line}". The ${failure.code === 'build_failed' ? 'build' : subjectOf(failure)} needs it, but gets no variable with this name: there is none (files such as .env are not deployed), or its scope leaves it out.`,
        suggestedFix: `Set ${key}. To use a value of another service, write a reference: \${<service>.<VARIABLE>}.`,
        steps: [setVariable(key), showService, deployAgain],
      };
    },
  },
  {
    id: 'port-in-use',
    codes,
    says: /EADDRINUSE: address already in use (?<address>\S+)|[Aa]ddress already in use|bind: address already in use/,
    explain: ({ line }, failure) => ({
      summary: 'The app tried to open its port twice.',
      likelyCause: `"${line}". No other program shares the container's network, so the app itself starts twice (a process manager, cluster mode, two "listen" calls).`,
      suggestedFix: 'Start only one server, on the port in PORT.',
      steps: [searchFiles(failure, "'listen\\(|PORT'"), deployAgain],
    }),
  },
  {
    id: 'privileged-port',
    codes,
    says: /listen EACCES: permission denied (?:\S*:)?(?<port>\d+)|bind: permission denied|bind\(\) to \S+:(?<nginx>\d+) failed \(13: Permission denied\)/,
    explain: ({ groups }) => ({
      summary: `The app is not allowed to open port ${groups.port || groups.nginx || 'below 1024'}.`,
      likelyCause: 'The app runs as an ordinary user, and ports below 1024 are reserved for root.',
      suggestedFix: 'Let the app listen on the port in PORT, and set a port above 1023 for the service.',
      steps: [changeSetting('internalPort', unprivilegedPort), deployAgain],
    }),
  },
  {
    id: 'database-password',
    codes: [...codes, 'build_failed'],
    says: /password authentication failed for user|Access denied for user '|WRONGPASS|NOAUTH Authentication required|Authentication failed\.? *(?:\(code 18\)|code: 18)|AuthenticationFailed/,
    explain: ({ line }) => ({
      summary: 'The database refused the user name or password.',
      likelyCause: `"${line}". The password in the app's variables differs from the database's (a database keeps the password of its first start).`,
      suggestedFix: 'Refer to the variables of the database service instead of copying them.',
      steps: [showSuggestions, referToDatabase, deployAgain],
    }),
  },
  {
    id: 'outside-unreachable',
    codes: [...codes, 'build_failed'],
    // A public name: services of the project have no dot in theirs, except databases behind ".internal" or ".local" names.
    says: /getaddrinfo (?:ENOTFOUND|EAI_AGAIN) (?<node>[\w-]+(?:\.[\w-]+)*\.(?!internal|local\b)[a-z]{2,})\b|Could not resolve host: (?<curl>[\w-]+(?:\.[\w-]+)+)|Failed to resolve '(?<python>[\w-]+(?:\.[\w-]+)+)'|dial tcp: lookup (?<go>[\w-]+(?:\.[\w-]+)+)|establishing a connection while requesting https?:\/\/(?<next>[\w-]+(?:\.[\w-]+)+)/,
    explain: ({ line, groups }, failure) => {
      const server = groups.node || groups.curl || groups.python || groups.go || groups.next;
      const when = failure.code === 'build_failed' ? 'build' : subjectOf(failure);
      return {
        summary: `The ${when} could not find the server ${server}.`,
        likelyCause: `"${line}". The name is mistyped, or the host of the service has no access to the internet or to a name server that knows it.`,
        suggestedFix:
          failure.code === 'build_failed'
            ? `Let the build work without this server (${submit(failure, 'the files it fetches')}, or fetch them when the app runs), or give the host access to it.`
            : 'Correct the name, or give the host access to it. Let the app retry for a while instead of exiting.',
        steps: [
          searchFiles(failure, shellWord((server ?? '').replaceAll('.', '\\.'))),
          `getent hosts ${shellWord(server ?? '')}`,
          deployAgain,
        ],
      };
    },
  },
  {
    id: 'database-unreachable',
    codes: [...codes, 'build_failed'],
    says: /ECONNREFUSED (?<refused>\S+)|getaddrinfo (?:ENOTFOUND|EAI_AGAIN) (?<unknown>\S+)|could not translate host name "(?<pg>[^"]+)"|Can't reach database server at `(?<prisma>[^`]+)`|connection to server at .* failed: Connection refused|Can't connect to (?:MySQL|MariaDB) server on '(?<mysql>[^']+)'|Temporary failure in name resolution|dial tcp (?<go>\S+): connect: connection refused|php_network_getaddresses/,
    explain: ({ line, groups }, failure) => {
      const address =
        groups.refused ||
        groups.unknown ||
        groups.pg ||
        groups.prisma ||
        groups.mysql ||
        groups.go ||
        'a server';
      return {
        summary: `The ${subjectOf(failure)} could not connect to ${address.replace(/[.,;]$/, '')}.`,
        likelyCause: /127\.0\.0\.1|localhost|::1/.test(line)
          ? `"${line}". In a container, localhost is the container itself, so no other service listens there.`
          : `"${line}". No service of this project has this name, or that service is not running. During a build no service can be reached.`,
        suggestedFix:
          "Use a reference to the database service as the URL; inside the project, a service's host name is its slug. Let the app retry the connection for a while instead of exiting.",
        steps: [showSuggestions, referToDatabase, deployAgain],
      };
    },
  },
  {
    id: 'java-version',
    codes,
    says: /UnsupportedClassVersionError.*class file version (?<built>\d+)\.\d+\).*up to (?<runs>\d+)/,
    explain: ({ groups }, failure) => {
      // JVM specification, table 4.1-A: version 61 is Java 17.
      const java = (version: string | undefined) => Number(version) - 44;
      return {
        summary: `The app was compiled for Java ${java(groups.built)}, but the image has Java ${java(groups.runs)}.`,
        likelyCause: isFromAnalyzer(failure)
          ? 'The build makes classes for a newer Java than the one that runs them.'
          : 'The build stage uses a newer JDK than the last stage of the Dockerfile.',
        suggestedFix: `Run Java ${java(groups.built)}${isFromAnalyzer(failure) ? ' by the variable JAVA_VERSION' : ' in the last stage'}, or compile with --release ${java(groups.runs)}.`,
        steps: [changeVersion(failure, 'JAVA_VERSION'), deployAgain],
      };
    },
  },
  {
    id: 'file-not-writable',
    codes,
    says: /(?:EACCES|EROFS|EPERM): [^,]+, \w+ '(?<node>[^']+)'|PermissionError: \[Errno 13\] Permission denied: '(?<python>[^']+)'|Read-only file system(?:: '(?<readOnly>[^']+)')?|mkdir\(\) "(?<nginx>[^"]+)" failed \(13: Permission denied\)|open (?<go>\S+): permission denied/,
    explain: ({ groups }, failure) => {
      const path = groups.node || groups.python || groups.readOnly || groups.nginx || groups.go || '/app';
      return {
        summary: `The app is not allowed to write to ${path}.`,
        likelyCause: isFromAnalyzer(failure)
          ? 'It runs as user 1000, which owns /app and may write to /tmp, but to no other directory of the image.'
          : 'It runs as an ordinary user (USER in the Dockerfile), and the directory belongs to root.',
        suggestedFix: isFromAnalyzer(failure)
          ? 'Write below /app or to /tmp. Files that must survive a deployment belong into a volume.'
          : 'Change the owner of the directory before the USER line of the Dockerfile, or write to /tmp.',
        steps: isFromAnalyzer(failure)
          ? [searchFiles(failure, shellWord(path)), deployAgain]
          : [
              `echo ${shellWord(`RUN chown -R <user> ${path}`)}`,
              searchFiles(failure, "'^USER'", '*Dockerfile*'),
              deployAgain,
            ],
      };
    },
  },
];
