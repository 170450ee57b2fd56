#!/usr/bin/env perl
# Compares the published interface (api-names.txt) with what the headers declare. Without arguments it checks that
# docs/api.md says so; --fix writes docs/api.md; --missing prints what is missing, --other also what is declared instead.
use strict;
use warnings;
my $here;
BEGIN { ($here = $0) =~ s{[^/]*$}{}; $here ||= './'; unshift @INC, $here; }
use Tree;
use Declarations;

my $root = sourceRoot();
my $mode = $ARGV[0] // '';

# ---- what the headers declare --------------------------------------------------------------------------------------
sub preprocessed {
  my @headers = map { s{^include/(poplibs/)?}{}r } publishedHeaders($root), filesUnder($root, 'include/poplibs/popsys'),
    grep { m{^include/poplar/[^/]+\.h$} } filesUnder($root, 'include/poplar');
  my @bare = map { s{^include/poplar/device/}{}r } filesUnder($root, 'include/poplar/device');
  my $text = join '', map { "#include <$_>\n" } @headers, @bare;
  my $compiler = $ENV{CXX} || 'g++';
  my $command = "cd '$root' && $compiler -E -dD -std=c++20 -DPOP_NO_MODE_SYMBOL -Iinclude -Iinclude/poplibs -Iinclude/poplar/device -I. -x c++ -";
  my $pid = open(my $pipe, '-|', "printf '%s' '$text' | ($command)") or die "cannot run $compiler: $!\n";
  local $/;
  my $code = <$pipe>;
  close $pipe or die "$compiler cannot preprocess the headers\n";
  return $code;
}
my $declared = declarationsOf(preprocessed(), qr{^include/(?!.*/impl/)});
my $found = $declared->{found};

sub canonicalName { # VertexTemplateToString<popops::Operation> and the like
  my ($name) = @_;
  $name =~ s/<([\w:]+)>/'<' . parametersOf("$1 ") . '>'/ge;
  $name =~ s/\boperator (\w.*)$/'operator ' . parametersOf($1)/e;
  return $name;
}

# Every class a class derives from, as they are named.
sub basesOf {
  my ($class) = @_;
  my @all;
  for my $base (@{$declared->{bases}{$class} || []}) {
    (my $scope = $class) =~ s/(^|::)[^:]*$//;
    while (1) {
      my $full = $scope ? "$scope\::$base" : $base;
      if ($found->{$full}) { push @all, $full, basesOf($full); last }
      last if $scope eq '';
      $scope =~ s/(^|::)[^:]*$//;
    }
  }
  return @all;
}

sub isDeclared {
  my ($signature) = @_;
  my ($name, $parameters) = splitSignature($signature);
  $name = canonicalName($name);
  if (!defined $parameters) {
    return exists $found->{$name} || grep({ index($_, "$name<") == 0 } keys %$found) > 0; # a template by its instances
  }
  my $key = '(' . parametersOf($parameters) . ')';
  return 1 if $found->{$name}{$key};
  return 1 if $declared->{same}{$name} && $found->{$declared->{same}{$name}}{$key}; # using a::f
  my ($class, $member) = $name =~ /^(.*)::([^:]+|.*operator.*)$/;
  return 0 unless defined $class;
  my ($own) = $class =~ /([^:]+)$/;
  if ($member eq $own && $found->{$class}) { # what a class has without saying so
    return 0 if $declared->{deleted}{$name}{$key};
    return 1 if $key =~ /^\(\Q$own\E (const &|&&)\)$/ || ($key eq '()' && !$found->{$name});
  }
  if ($member =~ /^operator=$/ && $found->{$class} && $key =~ /^\(\Q$own\E (const &|&&)\)$/) { return 1 }
  return grep({ $found->{"$_\::$member"}{$key} } basesOf($class)) > 0;
}

# ---- what should be there ------------------------------------------------------------------------------------------
my (@libraries, %names, %notes); # names: {header} = [signatures]; notes: {signature} = [kind, text]
for (split /\n/, slurp("${here}api-notes.txt")) {
  next if /^\s*(#|$)/;
  my ($kind, $signature, $text) = /^(accepted|as) (.+?) : (.+)$/ or die "api-notes.txt: cannot read '$_'\n";
  $notes{$signature} = [$kind, $text];
}
my $header = '';
for (split /\n/, slurp("${here}api-names.txt")) {
  next if /^\s*(#|$)/;
  if (/^library (\S+)/) { push @libraries, [$1] }
  elsif (/^header (\S+)/) { $header = $1; push @{$libraries[-1]}, $header unless $names{$header}; $names{$header} ||= [] }
  else { push @{$names{$header}}, $_ }
}

# 'implemented', 'accepted' or 'missing', and a remark.
my %used;
sub statusOf {
  my ($signature) = @_;
  my $note = $notes{$signature};
  if ($note) {
    $used{$signature} = 1;
    my ($kind, $text) = @$note;
    return ('accepted', $text) if $kind eq 'accepted' && isDeclared($signature);
    return ('implemented', "as `$text`") if $kind eq 'as' && isDeclared($text);
  }
  return isDeclared($signature) ? ('implemented', '') : ('missing', '');
}

sub headerExists {
  my ($name) = @_;
  return grep { -e "$root/$_/$name" } qw(include include/poplibs include/poplar/device);
}

sub scopeAndName {
  my ($signature) = @_;
  my ($name) = splitSignature($signature);
  my ($scope, $last) = $name =~ /^((?:[\w<>, ]+::)*)(.*)$/;
  return ($scope =~ s/::$//r, $last);
}

my %total;
my $page = '';
for (@libraries) {
  my ($library, @headers) = @$_;
  my %sum = map { $_ => 0 } qw(implemented accepted missing);
  my $body = '';
  for my $header (@headers) {
    my (%count, %implemented, @scopes, @lines);
    for my $signature (@{$names{$header}}) {
      my ($status, $remark) = statusOf($signature);
      $count{$status}++;
      $sum{$status}++;
      if ($status eq 'implemented' && !$remark) {
        my ($scope, $name) = scopeAndName($signature);
        push @scopes, $scope unless $implemented{$scope};
        $implemented{$scope}{$name}++;
      } else {
        push @lines, "- $status: `$signature`" . ($remark ? ": $remark" : '') . "\n";
        if ($status eq 'missing' && $mode =~ /^--(missing|other)$/) {
          print "$header: $signature\n";
          my ($name) = splitSignature($signature);
          print "    has $name$_\n" for $mode eq '--other' ? sort grep { length } keys %{$found->{canonicalName($name)} || {}} : ();
        }
      }
    }
    my $there = headerExists($header);
    my $counts = join ', ', map { "$count{$_} $_" } grep { $count{$_} } qw(implemented accepted missing);
    $body .= "\n### $header\n\n" . ($there ? '' : 'There is no such header. ') . ($counts ? "$counts.\n" : $there ? "The header is there.\n" : "\n");
    for my $scope (@scopes) {
      my $these = $implemented{$scope};
      my @each = map { $these->{$_} > 1 ? "$_ ($these->{$_})" : $_ } sort keys %$these;
      $body .= "\n`" . ($scope || 'global') . '`: ' . join(', ', map { s/[*_<|]/\\$&/gr } @each) . "\n";
    }
    $body .= "\n" . join('', @lines) if @lines;
  }
  $total{$_} += $sum{$_} for keys %sum;
  $page .= "\n## $library\n\n$sum{implemented} implemented, $sum{accepted} accepted without effect, $sum{missing} missing.\n$body";
  push @$_, \%sum;
}

my $totals = "implemented $total{implemented}, accepted $total{accepted}, missing $total{missing}";
my $text = <<"END" . $page;
# The published interface

Written by `./run api-table`: the names of the published interface (`test/structure/api-names.txt`) against what the
headers declare. *implemented*: declared, and does what is published; *accepted*: declared, but without effect, and why;
*missing*: not declared with these parameters. A number behind a name counts its overloads. "as" names the declaration that
serves the calls.

In all: $totals.
END

complain("api-notes.txt: '$_' is not in api-names.txt") for grep { !$used{$_} } sort keys %notes;
exit 0 if $mode =~ /^--(missing|other)$/;
my $path = "$root/docs/api.md";
if ($mode eq '--fix') {
  open(my $out, '>', $path) or die "cannot write docs/api.md: $!\n";
  print $out $text;
  close $out;
} elsif (!-e $path || slurp($path) ne $text) {
  complain("docs/api.md is not up to date; run ./run api-table");
}
print "$totals\n";
finish('docs/api.md');
