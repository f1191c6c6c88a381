/** What CMakeLists.txt says about a project's programs: https://cmake.org/cmake/help/latest/manual/cmake-commands.7.html */
import { type NativeTool, scriptsFrom } from './programs.ts';

export const cmake: NativeTool = {
  name: 'CMake',
  manifest: 'CMakeLists.txt',
  packages: ['cmake', 'ninja-build', 'pkg-config'],
  build: 'cmake -S . -B build -G Ninja -DCMAKE_BUILD_TYPE=Release && cmake --build build',
  scripts: (files) =>
    scriptsFrom(files, 'CMakeLists.txt', (text) =>
      [...text.matchAll(/\badd_subdirectory\s*\(\s*"?([\w./-]+)"?/gi)].map((match) => match[1] ?? ''),
    ),
  programs(scripts) {
    const text = scripts.map((script) => script.text).join('\n');
    const project = /\bproject\s*\(\s*"?([\w.+-]+)/i.exec(text)?.[1];
    const values = new Map(
      [...text.matchAll(/\bset\s*\(\s*(\w+)\s+"?([\w.+-]+)"?\s*\)/gi)].map(
        ([, name, value]) => [name ?? '', value ?? ''] as const,
      ),
    );
    const expand = (name: string) =>
      name.replace(/\$\{(\w+)\}/g, (whole, variable: string) =>
        /^(CMAKE_)?PROJECT_NAME$/.test(variable) ? (project ?? whole) : (values.get(variable) ?? whole),
      );
    const targets = [
      ...text.matchAll(/\badd_executable\s*\(\s*"?([\w.+${}-]+)"?(?!\s+(?:IMPORTED|ALIAS)\b)/gi),
    ].map((match) => expand(match[1] ?? ''));
    return { project, names: targets.map((target) => outputName(text, target, expand) ?? target) };
  },
};

/** The property OUTPUT_NAME gives a program another name than its target. */
function outputName(text: string, target: string, expand: (name: string) => string): string | undefined {
  for (const [, names = '', properties = ''] of text.matchAll(
    /\bset_target_properties\s*\(([^()]*?)\bPROPERTIES\b([^()]*)\)/gi,
  )) {
    if (!names.trim().split(/\s+/).map(expand).includes(target)) continue;
    const name = /\bOUTPUT_NAME\s+"?([\w.+${}-]+)/.exec(properties)?.[1];
    if (name) return expand(name);
  }
  return undefined;
}
