#!/usr/bin/env perl
# Every source is named where it has to be: bodies in their CMake list and in HeaderOnly.hpp, published headers in
# HeaderOnly.hpp, test, bench and example sources in the nearest CMakeLists.txt. `--fix` rewrites HeaderOnly.hpp and
# the IPP lists.
use strict;
use warnings;
BEGIN { (my $here = $0) =~ s{[^/]*$}{}; unshift @INC, $here || '.'; }
use Tree;

my $root = sourceRoot();
my $fix = @ARGV && $ARGV[0] eq '--fix';

sub headerOnlyText {
  my ($name, @files) = @_;
  my @headers = grep { m{^[^/]+\.hpp$} } @files;
  my @bodies = grep { /\.ipp$/ } @files;
  my $text = "// All of $name for POPLAR_HEADER_ONLY: every published header, then every body.\n"
    . "// Kept complete by test/structure/lists.pl (--fix rewrites it).\n#pragma once\n";
  $text .= "\n// clang-format off\n" . join('', map { "#include <$name/$_>\n" } @headers) if @headers;
  $text .= "\n" . join('', map { "#include <$name/$_>\n" } @bodies) if @bodies;
  $text .= "// clang-format on\n" if @headers;
  return $text;
}

sub checkHeaderOnly {
  my ($name, $folder, @files) = @_;
  my $path = "$folder/impl/HeaderOnly.hpp";
  my $wanted = headerOnlyText($name, @files);
  return if -e "$root/$path" && slurp("$root/$path") eq $wanted;
  if (!$fix) {
    complain("$path: does not list all headers and bodies; run test/structure/lists.pl --fix");
    return;
  }
  mkdir "$root/$folder/impl";
  writeFile($path, $wanted);
}

# The bodies a library's pop_add_library call names.
sub namedBodies {
  my ($name, $folder) = @_;
  my %named;
  for my $list ("$folder/CMakeLists.txt", 'include/poplar/CMakeLists.txt', 'include/poplibs/CMakeLists.txt') {
    next unless -e "$root/$list";
    (my $text = slurp("$root/$list")) =~ s/#.*//g;
    while ($text =~ /pop_add_library\(\s*\Q$name\E\b([^)]*)\)/g) {
      $named{$_} = 1 for grep { /\.ipp$/ } split ' ', $1;
    }
  }
  return %named;
}

# Puts all bodies, sorted, into the library's pop_add_library call.
sub fixBodies {
  my ($name, $folder, @bodies) = @_;
  for my $list ('include/poplar/CMakeLists.txt', 'include/poplibs/CMakeLists.txt') {
    next unless -e "$root/$list";
    my $text = slurp("$root/$list");
    my $lines = join '', map { "  $_\n" } @bodies;
    next unless $text =~ s{(pop_add_library\(\s*\Q$name\E\s+IPP\n)(?:\s+[^\s)]+\.ipp\n?)*}{$1$lines};
    next if $text eq slurp("$root/$list");
    writeFile($list, $text);
  }
}

sub writeFile {
  my ($path, $text) = @_;
  open(my $out, '>', "$root/$path.tmp") or die "cannot write $path: $!\n";
  print $out $text;
  close $out;
  rename "$root/$path.tmp", "$root/$path";
  print "$path: rewritten\n";
}

for (libraries($root)) {
  my ($name, $folder) = @$_;
  my @files = map { s{^\Q$folder\E/}{}r } filesUnder($root, $folder);
  checkHeaderOnly($name, $folder, @files);
  my @bodies = grep { /\.ipp$/ } @files;
  fixBodies($name, $folder, @bodies) if $fix;
  my %named = namedBodies($name, $folder);
  for (@bodies) {
    complain("$folder/$_: not named in pop_add_library($name)") unless $named{$_};
  }
}

# The nearest CMakeLists.txt at or above a file's folder, and the file's name relative to it.
sub nearestList {
  my ($file) = @_;
  my ($folder, $rest) = $file =~ m{^(.*)/([^/]+)$};
  while (1) {
    return ("$folder/CMakeLists.txt", $rest) if -e "$root/$folder/CMakeLists.txt";
    return ('', '') unless $folder =~ m{^(.*)/([^/]+)$};
    ($folder, $rest) = ($1, "$2/$rest");
  }
}

# A codelet family is named without its ending.
sub isNamed {
  my ($list, $name) = @_;
  my $stem = $list =~ m{^codelets/} ? $name =~ s/\.cpp$//r : $name;
  return slurp("$root/$list") =~ m{(^|[\s(/])(\Q$name\E|\Q$stem\E)($|[\s)])}m;
}

for my $file (grep { /\.cpp$/ && !m{^test/consumer/} } map { filesUnder($root, $_) } qw(test bench examples codelets)) {
  next if $file eq 'test/main.cpp';
  my ($list, $name) = nearestList($file);
  if (!$list) {
    complain("$file: no CMakeLists.txt at or above it");
  } elsif (!isNamed($list, $name)) {
    complain("$file: not named in $list");
  }
}
finish('lists');
