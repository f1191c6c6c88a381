import { expect, test } from 'vitest';
import { buildVariables, withheldNotes } from '../../../runner/builder/build-variables.ts';

test.each([
  ['NODE_OPTIONS', '--require ./trace.js'],
  ['NODE_OPTIONS', '--max-old-space-size=512 -r dd-trace/init'],
  ['NODE_OPTIONS', '--import=./instrument.mjs'],
  ['NODE_OPTIONS', '"--require" "./with space.js"'],
  ['RUBYOPT', '-W0 -r./config/trace'],
  ['PERL5OPT', '-MDevel::Trace'],
  ['JAVA_TOOL_OPTIONS', '-Xmx512m -javaagent:/app/agent.jar'],
  ['JDK_JAVA_OPTIONS', '@/app/java.options'],
  ['PYTHONSTARTUP', 'start.py'],
  ['PHP_INI_SCAN_DIR', ':/app/php'],
  ['TMPDIR', '/app/tmp'],
  ['BASH_ENV', '/app/env.sh'],
  ['DOTNET_STARTUP_HOOKS', '/app/hook.dll'],
])('%s=%s is not passed to a build, and the log says so', (name, value) => {
  const env = { [name]: value, API: 'x' };
  expect(buildVariables({ env }, 'buildkit')).toEqual({ API: 'x' });
  expect(withheldNotes({ env })).toEqual([
    expect.stringContaining(`tools: ${name}. If the build needs one, give it the scope "build"`),
  ]);
});

test.each([
  ['NODE_OPTIONS', '--max-old-space-size=4096 --openssl-legacy-provider'],
  ['NODE_OPTIONS', '--experimental-require-module'],
  ['RUBYOPT', '-W0'],
  ['JAVA_TOOL_OPTIONS', '-Xmx2g -Dfile.encoding=UTF-8'],
  ['TMPDIR', '/tmp'],
  ['PYTHONPATH', '/app/lib'],
  ['NODE_OPTIONS', ''],
])('%s=%s is passed to a build', (name, value) => {
  expect(buildVariables({ env: { [name]: value } }, 'buildkit')).toEqual({ [name]: value });
  expect(withheldNotes({ env: { [name]: value } })).toEqual([]);
});
