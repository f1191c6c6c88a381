/** Sites and apps in WebAssembly, made with Trunk or cargo-leptos. */
import type { ProjectFiles } from '../../project-files.ts';
import { AnalyzerError } from '../../provider.ts';

/** Programs for browsers need a second compiler target and a bundler, which the image lacks. @throws AnalyzerError */
export function refuseWebAssembly(files: ProjectFiles): void {
  const manifest = files.read('Cargo.toml') ?? '';
  const wayOut = (tool: string, command: string, result: string) =>
    `Longshore does not build it by itself: add a Dockerfile that installs ${tool} and the target wasm32-unknown-unknown, runs "${command}", and ${result}.`;
  if (/^\[\[?(?:package|workspace)\.metadata\.leptos\b/m.test(manifest)) {
    throw new AnalyzerError(
      `This is a Leptos app: ${wayOut('cargo-leptos', 'cargo leptos build --release', 'starts the server with LEPTOS_SITE_ADDR=0.0.0.0:$PORT')}`,
    );
  }
  const isTrunk = files.has('Trunk.toml') || /\bdata-trunk\b/.test(files.read('index.html') ?? '');
  const isYew = files.has('index.html') && /^yew\b|^leptos\b.*"csr"/m.test(manifest);
  if (isTrunk || isYew) {
    throw new AnalyzerError(
      `This is a site in WebAssembly, made with Trunk: ${wayOut('trunk', 'trunk build --release', 'serves the directory dist')} Or build it elsewhere, and deploy dist as a static site.`,
    );
  }
}
