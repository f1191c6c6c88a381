import { expect, test } from 'vitest';
import { planOf, startOf } from './plans.ts';

const programOf = async (files: Record<string, string>, env: Record<string, string> = {}) =>
  (await planOf(files, { env })).notes
    .find((note) => note.startsWith('Program: '))
    ?.slice('Program: '.length);

test.each([
  ['a name', { 'CMakeLists.txt': 'project(x)\nadd_executable(orders main.cpp)' }, 'orders'],
  [
    'the name of the project',
    { 'CMakeLists.txt': `project("shop" CXX)\nadd_executable(\${PROJECT_NAME} main.cpp)` },
    'shop',
  ],
  [
    'a variable',
    { 'CMakeLists.txt': `set(PROGRAM orders)\nadd_executable(\${PROGRAM}-api main.cpp)` },
    'orders-api',
  ],
  [
    'an output name',
    {
      'CMakeLists.txt': 'add_executable(a main.cpp)\nset_target_properties(a PROPERTIES OUTPUT_NAME orders)',
    },
    'orders',
  ],
  [
    'a directory below',
    {
      'CMakeLists.txt': 'add_subdirectory(src)\nadd_subdirectory(tests)',
      'src/CMakeLists.txt': 'add_executable(orders m.c)',
      'tests/CMakeLists.txt': 'add_executable(check c.c)',
    },
    'orders',
  ],
  [
    'the project among several',
    {
      'CMakeLists.txt':
        '# add_executable(old o.c)\nproject(shop)\nadd_executable(seed s.c)\nadd_executable(shop m.c)',
    },
    'shop',
  ],
  [
    'Meson',
    {
      'meson.build': "project('shop', 'c')\nsubdir('src')",
      'src/meson.build': "executable('orders', 'm.c')",
    },
    'orders',
  ],
])('the program of a C or C++ project is found by %s', async (_, files, program) => {
  expect(await programOf(files)).toBe(program);
});

test('several programs are refused with their names, and NATIVE_PROGRAM chooses one', async () => {
  const files = { 'CMakeLists.txt': 'add_executable(mail m.c)\nadd_executable(shop s.c)' };
  await expect(planOf(files)).rejects.toThrow(
    'builds several programs (mail, shop): set the variable NATIVE_PROGRAM',
  );
  expect(await programOf(files, { NATIVE_PROGRAM: 'shop' })).toBe('shop');
  await expect(planOf(files, { env: { NATIVE_PROGRAM: "x'; y" } })).rejects.toThrow(
    'not the name of a program',
  );
});

test('a library without a program is refused with what to set', async () => {
  await expect(planOf({ 'CMakeLists.txt': 'project(x)\nadd_library(x x.c)' })).rejects.toThrow(
    'names no program that serves',
  );
});

test('build files that include each other are read once', async () => {
  expect(await programOf({ 'CMakeLists.txt': 'add_subdirectory(.)\nadd_executable(x x.c)' })).toBe('x');
});

test('libraries that CMake and Meson ask for are installed from Debian', async () => {
  const text = 'find_package(Boost REQUIRED)\npkg_check_modules(H REQUIRED hiredis)\nadd_executable(x x.c)';
  expect((await planOf({ 'CMakeLists.txt': text })).build.packages).toEqual(
    expect.arrayContaining(['libboost-all-dev', 'libhiredis-dev']),
  );
  const meson = "dependency('spdlog')\nexecutable('x', 'x.c')";
  expect((await planOf({ 'meson.build': meson })).build.packages).toContain('libspdlog-dev');
});

test('a server in C++ with pages of its own is no static site, and an addon of a Node project is not built alone', async () => {
  const cmake = { 'CMakeLists.txt': 'add_executable(x x.cpp)' };
  const plan = await planOf({ ...cmake, 'www/index.html': '' });
  expect(startOf(plan)).toBe('/usr/local/bin/app');
  expect(plan.output).toMatchObject({ sources: ['www/'] });
  expect((await planOf({ ...cmake, 'package.json': '{"scripts":{"start":"node x"}}' })).provider).toBe(
    'node',
  );
});
