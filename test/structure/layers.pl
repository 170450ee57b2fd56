#!/usr/bin/env perl
# Checks every #include against layers.txt. `--list LAYER` prints the files of one layer.
use strict;
use warnings;
my $here;
BEGIN { ($here = $0) =~ s{[^/]*$}{}; $here ||= './'; unshift @INC, $here; }
use Tree;

my $root = sourceRoot();
my (@patterns, %over, %never, %open, @external);

# A pattern as a regular expression: ** any path, * one name, {a,b} alternatives.
sub regexOf {
  my ($pattern) = @_;
  my %piece = ('**' => '.*', '*' => '[^/]*', '{' => '(?:', '}' => ')', ',' => '|');
  my $regex = join '', map { exists $piece{$_} ? $piece{$_} : quotemeta } $pattern =~ /(\*\*|\*|[{},]|[^*{},]+)/g;
  return qr/^$regex$/;
}

sub readRules {
  for (split /\n/, slurp("${here}layers.txt")) {
    s/#.*//;
    my ($word, $name, @rest) = split ' ' or next;
    if ($word eq 'layer' || $word eq 'open') {
      push @patterns, [regexOf($_), $name] for @rest;
      $open{$name} = 1 if $word eq 'open';
    } elsif ($word eq 'over') {
      push @{$over{$name}}, @rest;
    } elsif ($word eq 'never') {
      push @{$never{$name}}, map { regexOf($_) } @rest;
    } elsif ($word eq 'external') {
      my ($names, $layers) = /^external (.*):(.*)/;
      push @external, [regexOf(m{/$} ? "$_**" : $_), {map { $_ => 1 } split ' ', $layers}] for split ' ', $names;
    } else {
      die "layers.txt: unknown word '$word'\n";
    }
  }
}

sub layerOf {
  my ($file) = @_;
  for (@patterns) {
    return $_->[1] if $file =~ $_->[0];
  }
  return undef;
}

# All layers a layer may include, itself included.
sub reach {
  my ($layer, $seen) = @_;
  return if $seen->{$layer}++;
  reach($_, $seen) for @{$over{$layer} || []};
  return $seen;
}

# The project file an include names, or undef for other packages.
sub resolve {
  my ($from, $kind, $name) = @_;
  if ($kind eq '"') {
    (my $folder = $from) =~ s{[^/]*$}{};
    my $path = "$folder$name";
    1 while $path =~ s{[^/]+/\.\./}{};
    return $path if -e "$root/$path";
  }
  for ('include/', 'include/poplibs/', '') {
    return "$_$name" if -f "$root/$_$name";
  }
  return undef;
}

sub checkExternal {
  my ($file, $layer, $line, $name) = @_;
  for (@external) {
    next unless $name =~ $_->[0];
    return if $_->[1]{$layer};
    complain("$file:$line: $layer may not include <$name>; only "
        . join(', ', sort keys %{$_->[1]}) . ' may');
    return;
  }
  complain("$file:$line: <$name> is neither a file of this tree nor a known package; see layers.txt")
    if $name =~ m{/|\.h(pp)?$} && $name !~ m{^(poplar|pop\w+)/?$};
}

sub checkFile {
  my ($file) = @_;
  my $layer = layerOf($file);
  return complain("$file: in no layer of layers.txt") unless defined $layer;
  my $allowed = $open{$layer} ? undef : reach($layer, {});
  for (includesOf("$root/$file")) {
    my ($line, $kind, $name) = @$_;
    my $target = resolve($file, $kind, $name);
    if (!defined $target) {
      checkExternal($file, $layer, $line, $name);
      next;
    }
    my $other = layerOf($target);
    next if !defined $other || $open{$other} || !$allowed;
    my $forbidden = !$allowed->{$other} || grep { $other ne $layer && $target =~ $_ } @{$never{$layer} || []};
    complain("$file:$line: may not include <$name>: $layer is not over $other") if $forbidden;
  }
}

readRules();
my @files = grep { /\.(hpp|ipp|cpp|h)$/ }
  map { filesUnder($root, $_) } qw(include codelets planners bench test examples);
if (@ARGV == 2 && $ARGV[0] eq '--list') {
  print map { "$_\n" } grep { (layerOf($_) || '') eq $ARGV[1] } @files;
  exit 0;
}
checkFile($_) for @files;
finish(scalar(@files) . ' files, layers');
