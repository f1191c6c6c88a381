/** C and C++ with CMake or Meson: https://cmake.org/cmake/help/latest/, https://mesonbuild.com/Reference-manual.html */
import { build, install, run, served } from '../plan-parts.ts';
import type { ProjectFiles } from '../project-files.ts';
import { AnalyzerError, type Provider } from '../provider.ts';
import { cmake } from './native/cmake.ts';
import { librariesOf } from './native/libraries.ts';
import { meson } from './native/meson.ts';
import { chooseProgram, type NativeTool } from './native/programs.ts';

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
 * Copies the program, wherever the project's own settings put it, and the shared libraries that it loads. The C library stays behind: the
 * final image has it, in the same version.
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
