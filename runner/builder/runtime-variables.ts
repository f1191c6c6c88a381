/**
 * Variables that make every program of a language load something of the finished app, or use a directory of its container. Package managers
 * and compilers are such programs too, and would fail before the app's files and packages are there: `NODE_OPTIONS=--require ./trace.js`.
 */

const javaOptions = /(?:^|\s)(?:-javaagent:|-agentpath:|-agentlib:|@)/;

/** What a value must have to concern the running app only. */
const rules: Readonly<Record<string, RegExp>> = {
  NODE_OPTIONS:
    /(?:^|[\s"])(?:-r|--require|--import|--loader|--experimental-loader|--env-file(?:-if-exists)?)(?=[\s="]|$)/,
  RUBYOPT: /(?:^|\s)-r/,
  PERL5OPT: /(?:^|\s)-[Mm]/,
  JAVA_TOOL_OPTIONS: javaOptions,
  JDK_JAVA_OPTIONS: javaOptions,
  _JAVA_OPTIONS: javaOptions,
  TMPDIR: /^(?!(?:\/var)?\/tmp\/?$)./,
  PHP_INI_SCAN_DIR: /./,
  PYTHONSTARTUP: /./,
  PYTHONINSPECT: /./,
  BASH_ENV: /./,
  DOTNET_STARTUP_HOOKS: /./,
  CORECLR_ENABLE_PROFILING: /./,
  CORECLR_PROFILER: /./,
  CORECLR_PROFILER_PATH: /./,
};

/** True for a variable that is for the running app, and would break the tools of its build. */
export const isForRunOnly = (name: string, value: string): boolean =>
  Object.hasOwn(rules, name) && rules[name]?.test(value) === true;
