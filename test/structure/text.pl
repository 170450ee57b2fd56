#!/usr/bin/env perl
# Rules on the text of sources: no `using namespace` in headers, no heavy includes in published headers, every header
# entered once, nothing in a body that would break when header-only mode puts all bodies into one translation unit.
use strict;
use warnings;
BEGIN { (my $here = $0) =~ s{[^/]*$}{}; unshift @INC, $here || '.'; }
use Tree;

my $root = sourceRoot();

# Source text with comments and literals blanked, lines kept.
sub codeOf {
  my ($path) = @_;
  my $text = slurp("$root/$path");
  $text =~ s{(//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])+')}{my $c = $1; $c =~ s/[^\n]/ /g; $c}gse;
  return $text;
}

sub complainAt {
  my ($path, $text, $position, $what) = @_;
  my $line = 1 + (substr($text, 0, $position) =~ tr/\n//);
  complain("$path:$line: $what");
}

sub forbid {
  my ($path, $code, $regex, $what) = @_;
  complainAt($path, $code, $-[0], $what) while $code =~ /$regex/g;
}

my @headers = grep { /\.(hpp|h)$/ } map { filesUnder($root, $_) } qw(include codelets planners);
my @bodies = grep { /\.ipp$/ } filesUnder($root, 'include');

for my $path (@headers, @bodies) {
  my $code = codeOf($path);
  # Inside a function of a body it is harmless, in both modes.
  forbid($path, $code, $path =~ /ipp$/ ? qr/^using\s+namespace\b/m : qr/\busing\s+namespace\b/,
    'using namespace in a header');
  # dump() and dumpRegions() print by contract, as addCodelets() does what the compiler says; the logger, the dump of passes
  # and PrintTensor where the user told them to.
  # VertexFailure stands before the C library's abort() and passes on what comes from no vertex.
  forbid($path, $code, qr/^(?!.*::dump).*?(?:\bstd::(?:cout|cerr|clog)\b|\b(?:std::)?(?:printf|puts|abort|exit)\s*\()/m,
    'the library neither prints nor ends the process') unless $path =~ m{/device/|/impl/base/Log|/impl/lower/Dump|/impl/engine/Session|/impl/engine/VertexFailure|/impl/graph/CodeletSources|print\.h$};
  my $once = $code =~ /^\s*#\s*pragma\s+once/m || $code =~ /^\s*#\s*ifndef\s+\w+\s*\n\s*#\s*define\s+\w+/m;
  complain("$path: neither #pragma once nor an include guard") unless $once;
}

for my $path (@bodies) {
  my $code = codeOf($path);
  forbid($path, $code, qr/\bnamespace\s*\{/, 'anonymous namespace in a body; use a named detail namespace and POP_INLINE');
  forbid($path, $code, qr/^static\s+(?!constexpr|assert)/m, 'static at namespace scope in a body; use POP_INLINE');
}

# <functional> costs 14,000 lines: only where a callback is part of the interface.
my $callbacks = qr{/(?:Graph|GraphFunction|cyclesTables|Engine|\w*Options|\w*Callback|\w*Func|VertexIntrospector|PrintTensor|MapFunctor|ReduceFunctor|Loop|Rearrange|Scatter|VarStructure|poplin/Norms)\.hpp$};
for my $path (publishedHeaders($root)) {
  for (includesOf("$root/$path")) {
    my ($line, undef, $name) = @$_;
    complain("$path:$line: published headers may not include <$name>") if $name =~ m{^(iostream|regex|Eigen/.*|xsimd/.*)$};
    complain("$path:$line: <functional> only in headers with callbacks") if $name eq 'functional' && $path !~ $callbacks;
  }
}
finish(scalar(@headers) + scalar(@bodies) . ' headers and bodies, text');
