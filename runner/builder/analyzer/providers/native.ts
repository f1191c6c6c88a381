/** C and C++ with CMake or Meson: https://cmake.org/cmake/help/latest/, https://mesonbuild.com/Reference-manual.html */
import { build, install, run, served } from '../plan-parts.ts';
import type { ProjectFiles } from '../project-files.ts';
import { AnalyzerError, type Provider } from '../provider.ts';
import { librariesOf } from './native/libraries.ts';
import { chooseProgram, type NativeTool, scriptsFrom } from './native/programs.ts';

/** Reads a project's programs from CMakeLists.txt: https://cmake.org/cmake/help/latest/manual/cmake-commands.7.html */
const cmake: NativeTool = {
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

/** Reads a project's programs from meson.build: https://mesonbuild.com/Reference-manual_functions.html */
const meson: NativeTool = {
  name: 'Meson',
  manifest: 'meson.build',
  packages: ['meson', 'ninja-build', 'pkg-config'],
  build: 'meson setup build --buildtype=release && meson compile -C build',
  scripts: (files) =>
    scriptsFrom(files, 'meson.build', (text) =>
      [...text.matchAll(/\bsubdir\s*\(\s*'([\w./-]+)'/g)].map((match) => match[1] ?? ''),
    ),
  programs(scripts) {
    const text = scripts.map((script) => script.text).join('\n');
    const project = /\bproject\s*\(\s*'([^']+)'/.exec(text)?.[1];
    const names = [...text.matchAll(/\bexecutable\s*\(\s*(?:'([^']+)'|(meson\.project_name\(\)))/g)];
    return { project, names: names.map(([, name]) => name ?? project ?? '') };
  },
};

const binary = '/usr/local/bin/app';
/** Shared libraries of the program that Debian's image may lack. */
const libraries = '/usr/local/lib/app';

const tools: readonly NativeTool[] = [cmake, meson];

export const native: Provider = {
  name: 'native',
  fits: (files) => tools.some((tool) => files.has(tool.manifest)),
  plan(files, overrides) {
    const tool = tools.find(({ manifest }) => files.has(manifest)) ?? cmake;
    const scripts = tool.scripts(files);
    const program = overrides.buildCommand ? null : chooseProgram(tool, files, overrides.env);
    const dependencies = librariesOf(scripts.map(({ text }) => text).join('\n'));
    return {
      provider: 'native',
      framework: null,
      notes: [
        tool.name,
        ...(program ? [`Program: ${program}`] : []),
        ...(dependencies.length > 0 ? [`Libraries: ${dependencies.join(', ')}`] : []),
      ],
      build: {
        image: { name: 'native', version: null },
        packages: [...tool.packages, ...dependencies],
        steps: [
          ...install([], [], overrides),
          ...build(program ? [run(`${tool.build} && ${collect(program)}`)] : [], overrides),
        ],
      },
      output: served(
        () => ({
          type: 'run',
          image: { name: 'debian', version: null },
          packages: [],
          copies: program
            ? [{ from: binary, to: binary }, { from: `${libraries}/`, to: `${libraries}/` }, ...certificates]
            : [{ from: '/app/', to: '/app/' }],
          sources: program ? dataOf(files) : [],
          env: program ? { LD_LIBRARY_PATH: libraries } : {},
          start: overrides.startCommand || (program ? binary : ownBuild()),
        }),
        overrides,
      ),
      release: null,
    };
  },
};

const certificates = [
  { from: '/etc/ssl/certs/ca-certificates.crt', to: '/etc/ssl/certs/ca-certificates.crt' },
];

/**
 * Copies the program from any path set by the project, and the shared libraries that it loads. The C library is left out: the final image
 * has it, in the same version.
 */
const collect = (program: string) =>
  [
    `program="$(find /app -type f -name '${program}' -perm -u+x ! -path '*/CMakeFiles/*' | head -n 1)"`,
    `if [ -z "$program" ]; then echo "The build made no program named ${program}." >&2; exit 1; fi`,
    `cp "$program" ${binary}`,
    `mkdir -p ${libraries}`,
    `ldd ${binary} | grep -oE '/[^ ]+\\.so[^ ]*' | grep -vE '/(ld-linux|libc|libm|libdl|libpthread|librt|libresolv)[.-]' | xargs -r cp -L -t ${libraries}`,
  ].join(' && ');

/** Files that a program may read at run time: the top level without code, build files and documents. */
const dataOf = (files: ProjectFiles) =>
  files
    .list()
    .filter(
      (name) =>
        !/^\./.test(name) &&
        !/^(src|include|lib|libs|cmake|build|builddir|external|extern|third_party|thirdparty|deps|vendor|subprojects|tests?|examples?|bench(marks)?|docs?|tools)\/$/.test(
          name,
        ) &&
        !/\.(c|cc|cpp|cxx|h|hh|hpp|hxx|md|in)$|^(CMake\w*\.(txt|json)|meson(_options\.txt|\.\w+)|Makefile|Dockerfile.*|LICENSE.*|Procfile|vcpkg.*|conanfile.*)$/i.test(
          name,
        ),
    );

function ownBuild(): never {
  throw new AnalyzerError(
    'buildCommand replaces the build by CMake or Meson: set startCommand to run the program that it builds.',
  );
}
