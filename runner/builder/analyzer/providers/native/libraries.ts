/** Debian packages of the libraries that CMake and Meson projects use by name, beyond those of the image `buildpack-deps`. */

/** Names in `find_package`, `pkg_check_modules` and `dependency`, in lower case. https://packages.debian.org/trixie/ */
const packages: Record<string, string> = {
  asio: 'libasio-dev',
  boost: 'libboost-all-dev',
  catch2: 'catch2',
  crow: 'libasio-dev',
  cppzmq: 'cppzmq-dev',
  fmt: 'libfmt-dev',
  gtest: 'libgtest-dev',
  hiredis: 'libhiredis-dev',
  httplib: 'libcpp-httplib-dev',
  'cpp-httplib': 'libcpp-httplib-dev',
  jansson: 'libjansson-dev',
  'json-c': 'libjson-c-dev',
  jsoncpp: 'libjsoncpp-dev',
  libmicrohttpd: 'libmicrohttpd-dev',
  libmongoc: 'libmongoc-dev',
  libpqxx: 'libpqxx-dev',
  libsodium: 'libsodium-dev',
  libuv: 'libuv1-dev',
  libwebsockets: 'libwebsockets-dev',
  libzmq: 'libzmq3-dev',
  microhttpd: 'libmicrohttpd-dev',
  nlohmann_json: 'nlohmann-json3-dev',
  poco: 'libpoco-dev',
  protobuf: 'libprotobuf-dev protobuf-compiler',
  rapidjson: 'rapidjson-dev',
  spdlog: 'libspdlog-dev',
  sqlitecpp: 'libsqlitecpp-dev',
  tbb: 'libtbb-dev',
  unofficial_sodium: 'libsodium-dev',
  yaml_cpp: 'libyaml-cpp-dev',
  'yaml-cpp': 'libyaml-cpp-dev',
};

/** @param text of all build files @returns each package once */
export function librariesOf(text: string): string[] {
  const asked = [
    ...text.matchAll(/\bfind_package\s*\(\s*([\w.+-]+)/gi),
    ...text.matchAll(/\bdependency\s*\(\s*'([^']+)'/g),
    ...[...text.matchAll(/\bpkg_(?:check|search)_modules?\s*\(([^)]*)\)/gi)].flatMap(([, list = '']) => [
      ...list.matchAll(/([\w.+-]+)/g),
    ]),
  ].map((match) => (match[1] ?? '').toLowerCase());
  const found = asked.flatMap((name) =>
    Object.hasOwn(packages, name) ? (packages[name] ?? '').split(' ') : [],
  );
  return [...new Set(found)];
}
