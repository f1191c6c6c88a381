/** .NET: https://learn.microsoft.com/dotnet/core/tools/dotnet-publish */
import { posix } from 'node:path';
import { build, copy, copyAll, directoriesBelow, placed, present, run, served } from '../plan-parts.ts';
import type { ProjectFiles, RepositoryAround } from '../project-files.ts';
import { AnalyzerError, type BuildOverrides, type Provider } from '../provider.ts';
import { chooseVersion, toolVersion, type VersionHint, versionIn } from '../version-files.ts';

const published = '/app/published';
const caches = ['/root/.nuget/packages'];

interface DotnetProject {
  path: string;
  text: string;
}

const isProject = (name: string) => /\.(cs|fs|vb)proj$/.test(name);

export const dotnet: Provider = {
  name: 'dotnet',
  fits: (files) => files.list().some((name) => isProject(name) || /\.slnx?$/.test(name)),
  /** Heroku publishes each project into its own bin/publish. */
  procfileStart(command, files, overrides) {
    const own = assemblyOf(mainProject(files, overrides));
    const [, name, more = ''] =
      /^(?:cd\s+\S+\s*(?:;|&&)\s*)?(?:dotnet\s+)?(?:\S*\/)?([\w.-]+?)(?:\.dll)?(\s.*)?$/.exec(command) ?? [];
    return name === own ? `dotnet ${own}.dll${more}` : command;
  },
  plan(files, overrides) {
    const project = mainProject(files, overrides);
    const { version, from } = dotnetVersion(files, project, overrides);
    const kind = kindOf(project);
    const assembly = assemblyOf(project);
    const around = aroundOf(files, project);
    const at = around ? `cd ${around} && ` : '';
    const own = placed(overrides, at);
    const restores = own.installCommand
      ? [copyAll, run(own.installCommand)]
      : [...(around ? [] : restore(files, project)), copyAll];
    const publish = `${at}dotnet publish ${project.path} --configuration Release --output ${published} -p:UseAppHost=false`;
    const plan = {
      provider: 'dotnet',
      framework: kind.framework,
      ...(around ? { scope: 'repository' as const } : {}),
      notes: [`.NET ${version} (${from})`, `Project: ${project.path}`],
      build: {
        image: { name: 'dotnet-sdk', version },
        packages: [],
        steps: [...restores, ...build([run(publish, caches)], own)],
      },
      release: null,
    };
    if (kind.framework === 'blazor-wasm' && !overrides.startCommand && !overrides.staticOutput) {
      return { ...plan, output: { type: 'site', directory: 'published/wwwroot', spa: true } };
    }
    return {
      ...plan,
      output: served(
        {
          type: 'run',
          image: { name: kind.image, version },
          packages: [],
          copies: [{ from: `${published}/`, to: '/app/' }],
          env: { DOTNET_EnableDiagnostics: '0' },
          start: overrides.startCommand || `${kind.address}dotnet ${assembly}.dll`,
        },
        overrides,
      ),
    };
  },
};

/** The kind of a project, from its SDK: https://learn.microsoft.com/dotnet/core/project-sdk/overview */
function kindOf({ text }: DotnetProject) {
  const sdk = /Sdk="([^"/]+)/.exec(text)?.[1] ?? '';
  if (sdk === 'Microsoft.NET.Sdk.BlazorWebAssembly')
    return { framework: 'blazor-wasm', image: 'dotnet-aspnet', address: '' };
  const isWeb = sdk === 'Microsoft.NET.Sdk.Web' || text.includes('Microsoft.AspNetCore.App');
  if (isWeb)
    return { framework: 'aspnet', image: 'dotnet-aspnet', address: 'ASPNETCORE_URLS=http://0.0.0.0:$PORT ' };
  return { framework: null, image: 'dotnet-runtime', address: '' };
}

const assemblyOf = ({ path, text }: DotnetProject) =>
  /<AssemblyName>\s*([^<\s]+)/.exec(text)?.[1] ?? posix.basename(path).replace(/\.\w+$/, '');

/** Files that .NET also looks for in the directories above a project. */
const shared = [
  'global.json',
  'Directory.Build.props',
  'Directory.Build.targets',
  'Directory.Packages.props',
];

/** The service root in the image, if its project needs the repository around it: other projects, or shared versions. */
function aroundOf({ around }: ProjectFiles, { path, text }: DotnetProject): string | undefined {
  if (!around) return undefined;
  const own = posix.dirname(path);
  const references = [...text.matchAll(/<ProjectReference\s+Include="([^"]+)"/g)].map(([, one = '']) =>
    posix.join(own, one.replaceAll('\\', '/')),
  );
  return references.some((one) => one.startsWith('..')) || above(around, shared).length > 0
    ? posix.join('/app', around.directory)
    : undefined;
}

/** Texts of the files with these names above the service root, the nearest first. */
function above({ files, directory }: RepositoryAround, names: readonly string[]): string[] {
  if (directory === '.') return [];
  const parent = posix.dirname(directory);
  const found = names.flatMap((name) => files.read(posix.join(parent, name)) ?? []);
  return [...found, ...above({ files, directory: parent }, names)];
}

/** A restore reads project files and a few files next to them. Projects that reference others need the whole source. */
function restore(files: ProjectFiles, project: DotnetProject) {
  if (project.text.includes('<ProjectReference')) return [];
  const beside = [
    'global.json',
    'nuget.config',
    'NuGet.Config',
    'Directory.Build.props',
    'Directory.Packages.props',
  ];
  const locks = [posix.join(posix.dirname(project.path), 'packages.lock.json')];
  return [
    copy([project.path, ...present(files, [...beside, ...locks])]),
    run(`dotnet restore ${project.path}`, caches),
  ];
}

/** @throws AnalyzerError if there is no project, or several of a kind without a setting that chooses one */
function mainProject(files: ProjectFiles, { env }: BuildOverrides): DotnetProject {
  const projects = directoriesBelow(files, 2).flatMap((directory) =>
    files
      .list(directory)
      .filter(isProject)
      .map((name) => posix.join(directory, name))
      .map((path) => ({ path, text: files.read(path) ?? '' })),
  );
  if (env.DOTNET_PROJECT) {
    const wanted = projects.find(({ path }) => path === env.DOTNET_PROJECT);
    if (wanted) return wanted;
    throw new AnalyzerError(`DOTNET_PROJECT is ${env.DOTNET_PROJECT}, but there is no such project file.`);
  }
  const programs = projects.filter(({ text }) => isProgram(text) && !text.includes('Microsoft.NET.Test.Sdk'));
  const web = programs.filter(({ text }) => kindOf({ path: '', text }).framework);
  // A server includes its WebAssembly client.
  const servers = web.filter(({ text }) => !text.includes('Microsoft.NET.Sdk.BlazorWebAssembly'));
  const choice = [servers, web, programs].find((list) => list.length > 0) ?? [];
  const [first] = choice;
  if (choice.length === 1 && first) return first;
  throw new AnalyzerError(
    first
      ? `There are several programs (${choice.map(({ path }) => path).join(', ')}): set the variable DOTNET_PROJECT to one of them.`
      : 'No project file describes a program: a service needs one with Sdk="Microsoft.NET.Sdk.Web" or <OutputType>Exe</OutputType>.',
  );
}

/** A library may use ASP.NET Core as well. */
const isProgram = (text: string) =>
  /Sdk="Microsoft\.NET\.Sdk\.(Web|BlazorWebAssembly)\b/.test(text) || /<OutputType>\s*Exe/i.test(text);

const dotnetVersion = (files: ProjectFiles, project: DotnetProject, { env }: BuildOverrides) =>
  chooseVersion(
    ['10.0', '9.0', '8.0'],
    [
      ['DOTNET_VERSION', env.DOTNET_VERSION],
      versionIn(files, 'global.json', /"version"\s*:\s*"([\d.]+)/),
      toolVersion(files, 'dotnet', 'dotnet-core'),
      versionIn(files, project.path, /<TargetFrameworks?>[^<]*?net(\d+\.\d+)/),
      versionIn(files, 'Directory.Build.props', /<TargetFrameworks?>[^<]*?net(\d+\.\d+)/),
      ...sharedVersions(files),
    ],
  );

function sharedVersions({ around }: ProjectFiles): VersionHint[] {
  if (!around) return [];
  const found = (name: string, pattern: RegExp): VersionHint => [
    name,
    above(around, [name]).flatMap((text) => pattern.exec(text)?.[1] ?? [])[0],
  ];
  return [
    found('Directory.Build.props', /<TargetFrameworks?>[^<]*?net(\d+\.\d+)/),
    found('global.json', /"version"\s*:\s*"([\d.]+)/),
  ];
}
