/** What meson.build says about a project's programs: https://mesonbuild.com/Reference-manual_functions.html */
import { type NativeTool, scriptsFrom } from './programs.ts';

export const meson: NativeTool = {
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
