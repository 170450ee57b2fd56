# What the structure tests share: walking the source tree, reading files, reporting. Needs only Debian's perl-base.
package Tree;
use strict;
use warnings;
use Exporter 'import';
our @EXPORT = qw(sourceRoot filesUnder slurp includesOf complain finish libraries publishedHeaders);

my $complaints = 0;

# The tree to look at: the repository, or the folder named by POP_TREE (for the tests of these tests).
sub sourceRoot {
  return $ENV{POP_TREE} if $ENV{POP_TREE};
  (my $here = __FILE__) =~ s{[^/]*$}{};
  return "${here}../..";
}

# All files below a folder as sorted paths relative to the root; hidden folders and build trees left out.
sub filesUnder {
  my ($root, $folder) = @_;
  opendir(my $handle, "$root/$folder") or return ();
  my @names = sort grep { !/^\./ && !/^build/ } readdir $handle;
  closedir $handle;
  return map { -d "$root/$folder/$_" ? filesUnder($root, "$folder/$_") : "$folder/$_" } @names;
}

sub slurp {
  my ($path) = @_;
  open(my $handle, '<', $path) or die "cannot read $path: $!\n";
  local $/;
  my $text = <$handle>;
  return defined $text ? $text : '';
}

# The include directives of a file: ([line, "<" or quote, name], ...).
sub includesOf {
  my ($path) = @_;
  my ($line, @found) = (0);
  for (split /\n/, slurp($path)) {
    $line++;
    push @found, [$line, $1, $2] if /^\s*#\s*include\s*([<"])([^>"]+)[>"]/;
  }
  return @found;
}

sub complain {
  print "@_\n";
  $complaints++;
}

sub finish {
  my ($what) = @_;
  print $complaints ? "$complaints complaints\n" : "$what: fine\n";
  exit($complaints ? 1 : 0);
}

# The compiled libraries and their header folders, lowest first.
sub libraries {
  my ($root) = @_;
  my %folder = (poplar => 'include/poplar', map { $_ => "include/poplibs/$_" }
      qw(poputil popops poplin poprand popnn popsparse pva));
  return map { [$_, $folder{$_}] }
    grep { -d "$root/$folder{$_}" } qw(poplar poputil popops poplin poprand popnn popsparse pva);
}

# The headers that publish names: those directly in a library's folder.
sub publishedHeaders {
  my ($root) = @_;
  my @headers;
  for (libraries($root)) {
    my ($name, $folder) = @$_;
    push @headers, grep { m{^\Q$folder\E/[^/]+\.hpp$} } filesUnder($root, $folder);
  }
  return @headers;
}

1;
