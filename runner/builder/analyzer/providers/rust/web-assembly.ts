/** Sites and apps in WebAssembly, built with Trunk or cargo-leptos. */
import type { ProjectFiles } from '../../project-files.ts';
import { AnalyzerError } from '../../provider.ts';
import { readToml, tableAt, textsAt, valueAt } from '../../toml.ts';

/** Programs for browsers need a second compiler target and a bundler, which the image lacks. @throws AnalyzerError */
export function refuseWebAssembly(files: ProjectFiles): void {
  const manifest = readToml(files, 'Cargo.toml');
  const wayOut = (tool: string, command: string, result: string) =>
    `Longshore does not build it by itself: add a Dockerfile that installs ${tool} and the target wasm32-unknown-unknown, runs "${command}", and ${result}.`;
  if (['package', 'workspace'].some((key) => valueAt(manifest, key, 'metadata', 'leptos') !== undefined)) {
    throw new AnalyzerError(
      `This is a Leptos app: ${wayOut('cargo-leptos', 'cargo leptos build --release', 'starts the server with LEPTOS_SITE_ADDR=0.0.0.0:$PORT')}`,
    );
  }
  const isTrunk = files.has('Trunk.toml') || /\bdata-trunk\b/.test(files.read('index.html') ?? '');
  const crates = tableAt(manifest, 'dependencies');
  const isForBrowsers = crates.yew !== undefined || textsAt(crates, 'leptos', 'features').includes('csr');
  if (isTrunk || (isForBrowsers && files.has('index.html'))) {
    throw new AnalyzerError(
      `This is a site in WebAssembly, made with Trunk: ${wayOut('trunk', 'trunk build --release', 'serves the directory dist')} Or build it elsewhere, and deploy dist as a static site.`,
    );
  }
}
